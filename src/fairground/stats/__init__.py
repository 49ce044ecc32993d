"""Statistics for tables of episodes and votes: pure functions, with randomness passed in.

A table becomes cells (`count`), cells become intervals (`bootstrap`, `compare`, `reliability`, `sensitivity`, ...);
votes become a ranking (`rank`). `summarise` does all that a report shows. Nothing here knows of sandboxes or screens.
"""

from fairground.stats.agreement import Agreement, krippendorff_alpha, ratings_from_triples
from fairground.stats.axes.components import Component, Components, difference_components, variance_components
from fairground.stats.axes.regret import AppRegret, Declared, Regret, expected_regret, wald_declares
from fairground.stats.axes.sensitivity import Sensitivities, Sensitivity, sensitivity, varied_axes
from fairground.stats.genscore import GenScore, genscore, genscore_from_counts
from fairground.stats.interval import Interval, plain
from fairground.stats.kappa import Kappa, cohens_kappa
from fairground.stats.paired_tests import (
    McNemar,
    TwoProportions,
    Wilcoxon,
    cliffs_delta,
    cohens_d,
    cohens_d_paired,
    holm,
    mcnemar,
    two_proportions,
    wilcoxon,
)
from fairground.stats.planning.monitors import DifferenceMonitor, RateMonitor
from fairground.stats.planning.plan_records import (
    Costs,
    DifferenceComponents,
    Limits,
    Plan,
    Power,
    Precision,
    VarianceComponents,
)
from fairground.stats.planning.planning import (
    paired_components,
    plan_power,
    plan_precision,
    power,
    precision,
    unpaired_components,
)
from fairground.stats.planning.sequential import ConfidenceSequence, block_means, difference_sequence, rate_sequence
from fairground.stats.planning.stopping_study import StoppingStudy, simulate_stopping
from fairground.stats.proportions import (
    clopper_pearson,
    clopper_pearson_bounds,
    clustered_wilson,
    exact_coverage,
    jeffreys,
    jeffreys_bounds,
    wald,
    wald_bounds,
    wilson,
    wilson_bounds,
)
from fairground.stats.suites.bootstrap import (
    Profile,
    Replicates,
    Scheme,
    app_intervals,
    bootstrap,
    interval_of,
    profile,
    suite_interval,
)
from fairground.stats.suites.calibration import DISTRIBUTIONS, SHAPES, Calibration, StudyShape, calibrate
from fairground.stats.suites.compare import Comparison, compare
from fairground.stats.suites.exact_variance import exact_variance
from fairground.stats.suites.resampling import LEVELS, resample
from fairground.stats.suites.scores import app_scores, score, score_of_counts, score_profile
from fairground.stats.suites.simulation import (
    LADDER,
    PAPER_APPS,
    Coverage,
    RateCoverage,
    Shape,
    make_up,
    rate_coverage,
    suite_coverage,
)
from fairground.stats.suites.suite_statistics import STATISTICS, iqm, mean, median, trimmed_mean
from fairground.stats.summary import Duel, Spread, Standing, Summary, summarise
from fairground.stats.tables.cells import Cells, count, count_all, match, match_scenarios
from fairground.stats.tables.intake import table_from_rows, table_of
from fairground.stats.tables.reading import read_columns, read_table
from fairground.stats.tables.table import Contender, Names, Table, join_tables
from fairground.stats.tasks.reliability import (
    CLASSES,
    Consistency,
    PassCurve,
    PassK,
    ReliabilitySummary,
    consistency,
    pass_at_k,
    pass_curve,
    pass_hat_k,
    reliability_summary,
)
from fairground.stats.tasks.replay import (
    ReplayEstimate,
    ReplaySimulation,
    replay_from_counts,
    replay_success,
    simulate_replay,
)
from fairground.stats.tasks.task_reliability import changes, reliability
from fairground.stats.tasks.transitions import Transitions, transitions
from fairground.stats.votes.bradley_terry import BradleyTerry, bradley_terry
from fairground.stats.votes.category_ranking import CategoryRankings, rank_by_category
from fairground.stats.votes.rank_correlation import kendall_tau, spearman_rho
from fairground.stats.votes.rank_sensitivity import (
    NoiseSensitivity,
    OrderAgreement,
    noise_sensitivity,
    step_limit_sensitivity,
)
from fairground.stats.votes.rank_tests import PairTest, PermutationTest, pairwise_tests, permutation_test
from fairground.stats.votes.ranking import Coefficient, RankedAgent, Ranking, rank
from fairground.stats.votes.vote_files import read_votes
from fairground.stats.votes.vote_power import VotesNeeded, detectable_gap, vote_power, votes_needed, win_share
from fairground.stats.votes.votes import WINNERS, BadVote, PairCounts, Votes, counts
from fairground.stats.votes.win_rates import (
    Disagreement,
    WinRates,
    disagreements,
    observed_win_rates,
    predicted_win_rates,
)

__all__ = [
    "CLASSES",
    "DISTRIBUTIONS",
    "LADDER",
    "LEVELS",
    "PAPER_APPS",
    "SHAPES",
    "STATISTICS",
    "WINNERS",
    "Agreement",
    "AppRegret",
    "BadVote",
    "BradleyTerry",
    "Calibration",
    "CategoryRankings",
    "Cells",
    "Coefficient",
    "Comparison",
    "Component",
    "Components",
    "ConfidenceSequence",
    "Consistency",
    "Contender",
    "Costs",
    "Coverage",
    "Declared",
    "DifferenceComponents",
    "DifferenceMonitor",
    "Disagreement",
    "Duel",
    "GenScore",
    "Interval",
    "Kappa",
    "Limits",
    "McNemar",
    "Names",
    "NoiseSensitivity",
    "OrderAgreement",
    "PairCounts",
    "PairTest",
    "PassCurve",
    "PassK",
    "PermutationTest",
    "Plan",
    "Power",
    "Precision",
    "Profile",
    "RankedAgent",
    "Ranking",
    "RateCoverage",
    "RateMonitor",
    "Regret",
    "ReliabilitySummary",
    "ReplayEstimate",
    "ReplaySimulation",
    "Replicates",
    "Scheme",
    "Sensitivities",
    "Sensitivity",
    "Shape",
    "Spread",
    "Standing",
    "StoppingStudy",
    "StudyShape",
    "Summary",
    "Table",
    "Transitions",
    "TwoProportions",
    "VarianceComponents",
    "Votes",
    "VotesNeeded",
    "Wilcoxon",
    "WinRates",
    "app_intervals",
    "app_scores",
    "block_means",
    "bootstrap",
    "bradley_terry",
    "calibrate",
    "changes",
    "cliffs_delta",
    "clopper_pearson",
    "clopper_pearson_bounds",
    "clustered_wilson",
    "cohens_d",
    "cohens_d_paired",
    "cohens_kappa",
    "compare",
    "consistency",
    "count",
    "count_all",
    "counts",
    "detectable_gap",
    "difference_components",
    "difference_sequence",
    "disagreements",
    "exact_coverage",
    "exact_variance",
    "expected_regret",
    "genscore",
    "genscore_from_counts",
    "holm",
    "interval_of",
    "iqm",
    "jeffreys",
    "jeffreys_bounds",
    "join_tables",
    "kendall_tau",
    "krippendorff_alpha",
    "make_up",
    "match",
    "match_scenarios",
    "mcnemar",
    "mean",
    "median",
    "noise_sensitivity",
    "observed_win_rates",
    "paired_components",
    "pairwise_tests",
    "pass_at_k",
    "pass_curve",
    "pass_hat_k",
    "permutation_test",
    "plain",
    "plan_power",
    "plan_precision",
    "power",
    "precision",
    "predicted_win_rates",
    "profile",
    "rank",
    "rank_by_category",
    "rate_coverage",
    "rate_sequence",
    "ratings_from_triples",
    "read_columns",
    "read_table",
    "read_votes",
    "reliability",
    "reliability_summary",
    "replay_from_counts",
    "replay_success",
    "resample",
    "score",
    "score_of_counts",
    "score_profile",
    "sensitivity",
    "simulate_replay",
    "simulate_stopping",
    "spearman_rho",
    "step_limit_sensitivity",
    "suite_coverage",
    "suite_interval",
    "summarise",
    "table_from_rows",
    "table_of",
    "transitions",
    "trimmed_mean",
    "two_proportions",
    "unpaired_components",
    "variance_components",
    "varied_axes",
    "vote_power",
    "votes_needed",
    "wald",
    "wald_bounds",
    "wald_declares",
    "wilcoxon",
    "wilson",
    "wilson_bounds",
    "win_share",
]
