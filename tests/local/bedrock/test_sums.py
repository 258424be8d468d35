import pytest

from local.bedrock.sums import worked_out


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("what is 17 times 23?", "391"),
        ("quick one: 15 percent of 2,400", "360"),
        ("12 - 5 - 2", "5"),
        ("2 + 3 * 4 =", "14"),
        ("3 x 4.5", "13.5"),
        ("10 / 0", ""),
        ("what is due on 2026-11-25?", ""),
        ("What happened on 3/4 in the plant?", ""),
        ("the 2024 - 2025 season", ""),
        ("hello", ""),
    ],
)
def test_a_sum_is_worked_out_and_nothing_else_is(question: str, result: str) -> None:
    assert worked_out(question) == result
