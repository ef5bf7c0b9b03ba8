"""How often the interval of a corrected share holds the true one: the table of docs/results/intervals.md.

python bench/label_quality.py [ROUNDS]
"""

from __future__ import annotations

import sys

from tests.support.simulated_audits import coverage

SHARES = (0.0, 0.02, 0.05, 0.1, 0.25)
READERS = ((0.95, 0.02), (0.8, 0.05), (0.6, 0.1))
SIZES = ((300, 100), (300, 60), (100, 50))


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    print("| items read | planted, known | true share | sensitivity | false alarms | covered | too low | mean width |")
    print("|---|---|---|---|---|---|---|---|")
    for n, planted in SIZES:
        for cell in coverage(SHARES, READERS, n, planted, rounds):
            print(
                f"| {n} | {planted} | {cell.share:.2f} | {cell.sensitivity:.2f} | {cell.false_alarms:.2f} "
                f"| {cell.covered:.3f} | {cell.flattering:.3f} | {cell.width:.3f} |"
            )


if __name__ == "__main__":
    main()
