"""Every way into the site, and what each of four people is told there: visitor, owner, other judge, admin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

Statuses = tuple[int, int, int, int]

ALL: Final = (200, 200, 200, 200)
NOTHING: Final = (404, 404, 404, 404)
ADMINS: Final = (403, 403, 403, 200)
OWNERS: Final = (404, 200, 404, 200)
"""Of a battle that is not shared: to others there is none."""


@dataclass(frozen=True)
class Way:
    """One way in.

    Attributes:
        expected: What visitor, owner, other judge and admin are told.
        path: The address, where that is not the route's own, with `BATTLE`, `SEAT`, `FRAME` for what is asked for.
        body: What is sent, as JSON, with `SETTINGS` for the version of the filters' settings; a form where it is text.
        status: Of the battle that is asked for.
        shared: What they are told once the battle is open to all judges; empty where that makes no difference.
    """

    expected: Statuses
    path: str = ""
    body: Any = None
    status: str = "judging"
    shared: Statuses | None = None


_JUDGES: Final = (404, 200, 200, 200)
_VOTE: Final = {"winner": "a"}
_INVITATION: Final = "/api/admin/invitations/" + "0" * 64
_IMPORT: Final = "/api/admin/imports/" + "0" * 16

WAYS: Final[dict[str, Way]] = {
    # What everybody may see.
    "GET /": Way(ALL),
    "GET /api/openapi.json": Way(ALL),
    "HEAD /api/openapi.json": Way(ALL),
    "GET /enter/{secret}": Way(ALL, "/enter/none"),
    "POST /enter/{secret}": Way((403, 403, 403, 403), "/enter/none"),
    "GET /api/catalogue": Way(ALL),
    "GET /api/catalogue/{suite}/{app}/looks": Way(ALL, "/api/catalogue/pocket/notes/looks"),
    "POST /api/catalogue/{suite}/{app}/looks": Way(NOTHING, "/api/catalogue/pocket/none/looks"),
    "GET /catalogue/{suite}/{app}/looks/{axis}/{value}": Way(NOTHING, "/catalogue/pocket/notes/looks/theme/none"),
    "GET /catalogue": Way(ALL),
    "GET /catalogue/{suite}": Way(ALL, "/catalogue/pocket"),
    "GET /catalogue/{suite}/{app}": Way(ALL, "/catalogue/pocket/notes"),
    "GET /catalogue/{suite}/{app}/{scenario}": Way(ALL, "/catalogue/pocket/notes/pin-and-label"),
    "GET /api/runs": Way(ALL),
    "GET /api/runs/{name}": Way(ALL, "/api/runs/first"),
    "GET /api/runs/{name}/mark": Way(ALL, "/api/runs/first/mark"),
    "GET /api/runs/{name}/episodes": Way(ALL, "/api/runs/first/episodes"),
    "GET /runs": Way(ALL),
    "GET /runs/compare": Way(ALL, "/runs/compare?a=first&b=first"),
    "GET /runs/{name}": Way(ALL, "/runs/first"),
    "GET /runs/{name}/episodes": Way(ALL, "/runs/first/episodes"),
    "GET /runs/{name}/episodes/{episode}": Way((307, 307, 307, 307), "/runs/first/episodes/000000"),
    "GET /replay/compare": Way(ALL, "/replay/compare?a=first/000000&b=first/000001"),
    "GET /replay/{run}/{episode}": Way(ALL, "/replay/first/000000"),
    "GET /api/replays/{run}/{episode}": Way(ALL, "/api/replays/first/000000"),
    "GET /api/replays/{run}/{episode}/frames/{digest}.png": Way(ALL, "/api/replays/first/000000/frames/FRAME.png"),
    "GET /api/replays/{run}/{episode}/thumbnails/{digest}.webp": Way(
        ALL, "/api/replays/first/000000/thumbnails/FRAME.webp"
    ),
    "GET /api/replays/{run}/{episode}/changes": Way(ALL, "/api/replays/first/000000/changes"),
    "GET /replay/{run}/{episode}/changes": Way(ALL, "/replay/first/000000/changes"),
    "POST /runs/{name}/label": Way((403, 403, 403, 303), "/runs/first/label", body="name=first"),
    "GET /api/replays/{run}/{episode}/trees/{place}": Way(NOTHING, "/api/replays/first/000000/trees/0"),
    "GET /api/replays/{run}/{episode}/logs/{name}": Way(ALL, "/api/replays/first/000000/logs/app"),
    "GET /api/replays/{run}/{episode}/video": Way(NOTHING, "/api/replays/first/000000/video"),
    "GET /api/replays/{run}/{episode}/download": Way(ALL, "/api/replays/first/000000/download"),
    "GET /leaderboard": Way(ALL),
    "GET /api/leaderboard": Way(ALL),
    "GET /arena": Way(ALL),
    "POST /arena/consent": Way((303, 303, 303, 303), body="form"),
    "GET /arena/new": Way((303, 200, 200, 200)),
    "GET /api/consent": Way(ALL),
    "POST /api/consent": Way(ALL),
    "GET /api/presets": Way(ALL),
    "GET /live": Way(ALL),
    # Seats. SEAT is one of a battle of the owner's, PLAY an attempt of the owner's that has ended.
    "WS /seats/{seat}/stream": Way(OWNERS, "/seats/SEAT/stream", shared=_JUDGES),
    "GET /seats/{seat}/screenshot.png": Way(OWNERS, "/seats/SEAT/screenshot.png", shared=_JUDGES),
    "GET /live/new": Way((403, 200, 200, 200), "/live/new?app=pocket/notes"),
    "POST /live/new": Way((403, 400, 400, 400), body="form world=/etc"),
    "GET /live/{seat}": Way(OWNERS, "/live/SEAT", shared=_JUDGES),
    "POST /live/{seat}/end": Way((404, 303, 403, 303), "/live/PLAY/end", "form"),
    "GET /live/{seat}/join/{key}": Way((403, 403, 403, 403), "/live/PLAY/join/none"),
    "GET /api/live/{seat}": Way((404, 200, 200, 200), "/api/live/PLAY"),
    "GET /api/live/{seat}/replay": Way((404, 200, 200, 200), "/api/live/PLAY/replay"),
    "GET /api/live/{seat}/frames/{digest}.png": Way((404, 200, 200, 200), "/api/live/PLAY/frames/FRAME.png"),
    # Battles: BATTLE is the owner's.
    "GET /api/battles": Way(ALL),
    "POST /api/battles": Way((403, 400, 400, 400), body={"world": "none/none"}),
    "POST /api/uploads": Way((403, 422, 422, 422), body={}),
    "WS /battles/{battle}/news": Way(OWNERS, shared=_JUDGES),
    "GET /arena/battles/{battle}": Way(OWNERS, shared=_JUDGES),
    "GET /api/battles/{battle}": Way(OWNERS, shared=_JUDGES),
    "POST /api/battles/{battle}/stop": Way((404, 403, 404, 403), shared=(404, 403, 403, 403)),
    "POST /api/battles/{battle}/follow-up": Way(
        (403, 403, 404, 403), body={"text": "more"}, shared=(403, 403, 403, 403)
    ),
    "POST /api/battles/{battle}/rerun": Way((403, 403, 404, 403), shared=(403, 403, 403, 403)),
    "POST /api/battles/{battle}/answers": Way(
        (403, 404, 404, 403), body={"side": "a", "number": 0, "text": "Blue"}, shared=(403, 404, 403, 403)
    ),
    "PUT /api/battles/{battle}/vote": Way(OWNERS, body=_VOTE, shared=_JUDGES),
    "GET /api/battles/{battle}/history": Way(OWNERS, shared=_JUDGES),
    "POST /api/battles/{battle}/close": Way(OWNERS, shared=(404, 200, 403, 200)),
    "POST /api/battles/{battle}/judges": Way(ADMINS, shared=ADMINS),
    "GET /api/battles/{battle}/{side}/replay": Way(OWNERS, "/api/battles/BATTLE/a/replay", shared=_JUDGES),
    "GET /api/battles/{battle}/{side}/frames/{digest}.png": Way(
        OWNERS, "/api/battles/BATTLE/a/frames/FRAME.png", shared=_JUDGES
    ),
    # The admin's room.
    "GET /admin": Way(ADMINS),
    "GET /admin/invitations": Way(ADMINS),
    "GET /api/admin/invitations": Way(ADMINS),
    "POST /api/admin/invitations": Way((403, 403, 403, 201), body={"role": "judge"}),
    "POST /api/admin/invitations/{invitation}/revoke": Way((403, 403, 403, 404), _INVITATION + "/revoke"),
    "GET /admin/agents": Way(ADMINS),
    "GET /api/admin/agents": Way(ADMINS),
    "POST /api/admin/agents/retire": Way((403, 403, 403, 404), body={"name": "none", "why": ""}),
    "POST /api/admin/agents/return": Way((403, 403, 403, 404), body={"name": "none"}),
    "GET /admin/battles": Way(ADMINS),
    "GET /api/admin/battles": Way(ADMINS),
    "POST /api/admin/battles/{battle}/close": Way(ADMINS),
    "GET /admin/votes": Way(ADMINS),
    "GET /api/admin/votes": Way(ADMINS),
    "POST /api/admin/filters": Way(ADMINS, body={}),
    "GET /admin/filters": Way(ADMINS),
    "GET /api/admin/filters/settings": Way(ADMINS),
    "POST /api/admin/filters/settings": Way(ADMINS, body={"after": "SETTINGS"}),
    "POST /api/admin/votes/flag": Way((403, 403, 403, 404), body={"battle": "BATTLE", "voter": "0" * 12}),
    "POST /api/admin/votes/unflag": Way(
        (403, 403, 403, 404), body={"battle": "BATTLE", "voter": "0" * 12, "reason": "admin"}
    ),
    "GET /admin/data": Way(ADMINS),
    "GET /api/admin/export": Way(ADMINS),
    "POST /api/admin/imports/uploads": Way((403, 403, 403, 400), body="text none"),
    "POST /api/admin/imports/{upload}/preview": Way((403, 403, 403, 404), _IMPORT + "/preview", {}),
    "POST /api/admin/imports/{upload}": Way((403, 403, 403, 404), _IMPORT, {}),
}
