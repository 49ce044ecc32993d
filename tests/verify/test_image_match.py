"""Structural similarity of frames."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage.metrics import structural_similarity

from fairground.core import Frame, InvalidInput
from fairground.verify import image_match, ssim


def noise(seed: int, width: int = 40, height: int = 30) -> Frame:
    return Frame(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


def flat(shade: int, width: int = 40, height: int = 30) -> Frame:
    return Frame(np.full((height, width, 3), shade, np.uint8))


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(0, 60), st.integers(7, 50), st.integers(7, 50))
def test_it_agrees_with_scikit_image(seed: int, spread: int, width: int, height: int) -> None:
    one = noise(seed, width, height)
    shift = np.random.default_rng(seed + 1).integers(-spread, spread + 1, one.pixels.shape)
    other = Frame(np.clip(one.pixels.astype(int) + shift, 0, 255).astype(np.uint8))
    theirs = structural_similarity(one.pixels, other.pixels, channel_axis=2, data_range=255)
    assert ssim(one, other) == pytest.approx(theirs, abs=1e-9)


def test_flat_pictures_differ_by_their_brightness_alone() -> None:
    c1 = (0.01 * 255) ** 2  # with no contrast in either, the other factor is 1
    by_hand = (2 * 100 * 150 + c1) / (100**2 + 150**2 + c1)
    assert ssim(flat(100), flat(150)) == pytest.approx(by_hand, abs=1e-12)
    assert ssim(flat(100), flat(100)) == 1.0


def test_a_region_looks_at_nothing_else() -> None:
    one = noise(1)
    pixels = one.pixels.copy()
    pixels[:, 20:] = 0
    other = Frame(pixels)
    assert ssim(one, other) < 0.7
    assert ssim(one, other, region=(0, 0, 20, 30)) == pytest.approx(1.0)


def test_a_match_is_a_check_with_its_figures() -> None:
    check = image_match("the chart", noise(1), noise(2), threshold=0.9, region=(0, 0, 20, 20))
    assert not check.passed
    assert check.expected == {"ssim": 0.9, "region": [0, 0, 20, 20]}
    assert abs(check.found["ssim"]) < 0.2
    assert image_match("the chart", noise(1), noise(1)).passed


@pytest.mark.parametrize(
    ("other", "region", "complaint"),
    [
        (noise(1, 41, 30), None, "40x30 and 41x30 cannot be compared"),
        (noise(1), (0, 0, 41, 30), "not within"),
        (noise(1), (-1, 0, 20, 20), "not within"),
        (noise(1), (0, 0, 6, 20), "too few"),
    ],
)
def test_what_cannot_be_compared_is_an_error(
    other: Frame, region: tuple[int, int, int, int] | None, complaint: str
) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        ssim(noise(1), other, region=region)
