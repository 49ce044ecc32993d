"""The shared vocabulary of Fairground: actions, frames, configurations, episodes, verdicts and errors.

The glossary as frozen data, without I/O. Every other package may import this one; it imports none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairground.core.late import late_names

if TYPE_CHECKING:
    from fairground.core.action import ACTION_KINDS as ACTION_KINDS
    from fairground.core.action import Action as Action
    from fairground.core.action import Answer as Answer
    from fairground.core.action import Button as Button
    from fairground.core.action import CallUser as CallUser
    from fairground.core.action import Click as Click
    from fairground.core.action import Done as Done
    from fairground.core.action import Drag as Drag
    from fairground.core.action import Fail as Fail
    from fairground.core.action import Key as Key
    from fairground.core.action import KeyDown as KeyDown
    from fairground.core.action import KeyUp as KeyUp
    from fairground.core.action import Look as Look
    from fairground.core.action import MouseDown as MouseDown
    from fairground.core.action import MouseUp as MouseUp
    from fairground.core.action import Move as Move
    from fairground.core.action import Point as Point
    from fairground.core.action import Scroll as Scroll
    from fairground.core.action import Space as Space
    from fairground.core.action import Type as Type
    from fairground.core.action import Wait as Wait
    from fairground.core.action import from_pixel as from_pixel
    from fairground.core.action import parse_action as parse_action
    from fairground.core.action import to_pixel as to_pixel
    from fairground.core.checklist import Checklist as Checklist
    from fairground.core.checklist import ChecklistItem as ChecklistItem
    from fairground.core.configuration import AXES as AXES
    from fairground.core.configuration import Configuration as Configuration
    from fairground.core.configuration import Parameter as Parameter
    from fairground.core.configuration import fingerprint as fingerprint
    from fairground.core.digest import code_digest as code_digest
    from fairground.core.episode import AGENTS_FAULT as AGENTS_FAULT
    from fairground.core.episode import EndedBy as EndedBy
    from fairground.core.episode import Episode as Episode
    from fairground.core.episode import Fingerprint as Fingerprint
    from fairground.core.episode import Step as Step
    from fairground.core.episode import ended_by_words as ended_by_words
    from fairground.core.errors import AppError as AppError
    from fairground.core.errors import DamagedData as DamagedData
    from fairground.core.errors import EpisodeError as EpisodeError
    from fairground.core.errors import FairgroundError as FairgroundError
    from fairground.core.errors import Incoherent as Incoherent
    from fairground.core.errors import InfrastructureError as InfrastructureError
    from fairground.core.errors import InvalidAction as InvalidAction
    from fairground.core.errors import InvalidConfiguration as InvalidConfiguration
    from fairground.core.errors import InvalidInput as InvalidInput
    from fairground.core.errors import MissingPrerequisite as MissingPrerequisite
    from fairground.core.errors import NeedsOptions as NeedsOptions
    from fairground.core.errors import SandboxError as SandboxError
    from fairground.core.errors import ScreenError as ScreenError
    from fairground.core.errors import StageError as StageError
    from fairground.core.errors import StateError as StateError
    from fairground.core.errors import UnknownName as UnknownName
    from fairground.core.frame import Frame as Frame
    from fairground.core.frame import Node as Node
    from fairground.core.frame import Observation as Observation
    from fairground.core.frame import Pixels as Pixels
    from fairground.core.frame import Window as Window
    from fairground.core.keys import MODIFIERS as MODIFIERS
    from fairground.core.keys import NAMED_KEYS as NAMED_KEYS
    from fairground.core.keys import canonical_key as canonical_key
    from fairground.core.keys import is_modifier as is_modifier
    from fairground.core.names import check_name as check_name
    from fairground.core.names import unknown as unknown
    from fairground.core.state import State as State
    from fairground.core.strict import Record as Record
    from fairground.core.strict import parse_as as parse_as
    from fairground.core.strict import parse_json as parse_json
    from fairground.core.verdict import Check as Check
    from fairground.core.verdict import Outcome as Outcome
    from fairground.core.verdict import Verdict as Verdict

__all__ = [
    "ACTION_KINDS",
    "AGENTS_FAULT",
    "AXES",
    "MODIFIERS",
    "NAMED_KEYS",
    "Action",
    "Answer",
    "AppError",
    "Button",
    "CallUser",
    "Check",
    "Checklist",
    "ChecklistItem",
    "Click",
    "Configuration",
    "DamagedData",
    "Done",
    "Drag",
    "EndedBy",
    "Episode",
    "EpisodeError",
    "Fail",
    "FairgroundError",
    "Fingerprint",
    "Frame",
    "Incoherent",
    "InfrastructureError",
    "InvalidAction",
    "InvalidConfiguration",
    "InvalidInput",
    "Key",
    "KeyDown",
    "KeyUp",
    "Look",
    "MissingPrerequisite",
    "MouseDown",
    "MouseUp",
    "Move",
    "NeedsOptions",
    "Node",
    "Observation",
    "Outcome",
    "Parameter",
    "Pixels",
    "Point",
    "Record",
    "SandboxError",
    "ScreenError",
    "Scroll",
    "Space",
    "StageError",
    "State",
    "StateError",
    "Step",
    "Type",
    "UnknownName",
    "Verdict",
    "Wait",
    "Window",
    "canonical_key",
    "check_name",
    "code_digest",
    "ended_by_words",
    "fingerprint",
    "from_pixel",
    "is_modifier",
    "parse_action",
    "parse_as",
    "parse_json",
    "to_pixel",
    "unknown",
]

# Imported on first use: errors and names need neither NumPy nor Pydantic, and importing those takes most of a short
# command's time.
_LATE = {
    "ACTION_KINDS": "action",
    "AGENTS_FAULT": "episode",
    "AXES": "configuration",
    "Action": "action",
    "Answer": "action",
    "AppError": "errors",
    "Button": "action",
    "CallUser": "action",
    "Check": "verdict",
    "Checklist": "checklist",
    "ChecklistItem": "checklist",
    "Click": "action",
    "Configuration": "configuration",
    "DamagedData": "errors",
    "Done": "action",
    "Drag": "action",
    "EndedBy": "episode",
    "Episode": "episode",
    "EpisodeError": "errors",
    "Fail": "action",
    "FairgroundError": "errors",
    "Fingerprint": "episode",
    "Frame": "frame",
    "Incoherent": "errors",
    "InfrastructureError": "errors",
    "InvalidAction": "errors",
    "InvalidConfiguration": "errors",
    "InvalidInput": "errors",
    "Key": "action",
    "KeyDown": "action",
    "KeyUp": "action",
    "Look": "action",
    "MODIFIERS": "keys",
    "MissingPrerequisite": "errors",
    "MouseDown": "action",
    "MouseUp": "action",
    "Move": "action",
    "NAMED_KEYS": "keys",
    "NeedsOptions": "errors",
    "Node": "frame",
    "Observation": "frame",
    "Outcome": "verdict",
    "Parameter": "configuration",
    "Pixels": "frame",
    "Point": "action",
    "Record": "strict",
    "SandboxError": "errors",
    "ScreenError": "errors",
    "Scroll": "action",
    "Space": "action",
    "StageError": "errors",
    "State": "state",
    "StateError": "errors",
    "Step": "episode",
    "Type": "action",
    "UnknownName": "errors",
    "Verdict": "verdict",
    "Wait": "action",
    "Window": "frame",
    "canonical_key": "keys",
    "check_name": "names",
    "ended_by_words": "episode",
    "code_digest": "digest",
    "fingerprint": "configuration",
    "from_pixel": "action",
    "is_modifier": "keys",
    "parse_action": "action",
    "parse_as": "strict",
    "parse_json": "strict",
    "to_pixel": "action",
    "unknown": "names",
}

__getattr__ = late_names(__name__, _LATE)
