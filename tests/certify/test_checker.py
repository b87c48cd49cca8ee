"""The checker's parts against slow formulas and against the emulator, and its verdicts on certificates written here."""

import itertools
import json
import math
import random
from fractions import Fraction

import mpmath
import pytest
from gmpy2 import mpq
from hypothesis import example, given, settings
from hypothesis import strategies as st

import certify
from certify.checker import arithmetic, check_bytes, counter, errorbound, fixedpoint, main, power, returns, rows
from certify.checker.angle import parse_angle
from certify.checker.canonical import canonical
from certify.checker.exact import Purse, number, show
from certify.checker.head import Head, Regime
from certify.checker.kinds import parse_valueset
from certify.checker.limits import Account, Malformed, Unsupported
from certify.checker.rotation import Rotation
from certify.checker.softmax import Order, selects
from fpsim import reference
from fpsim.angle import Angle
from fpsim.flarge import f_large
from fpsim.head import Head as EmulatedHead
from fpsim.pipeline.power import rounded_log, rounded_power
from fpsim.realization import realize
from fpsim.realization.counting import counted as emulated_counter
from fpsim.regime import Regime as EmulatedRegime
from fpsim.rounding.reference import round_exact
from fpsim.softmax import softmax
from fpsim.sums import parse_order
from fpsim.valueset import ValueSet

NAMED = [
    "fp64",
    "fp32",
    "tf32",
    "bf16",
    "fp16",
    "e5m2",
    "e4m3",
    "e3m2",
    "e2m3",
    "e2m1",
    "e4m3fnuz",
    "e5m2fnuz",
    "fp128",
]
MODES = ["even", "away", "zero", "up", "down", "odd"]


# Certificates, written by hand


def form(x):
    """A number as a certificate writes it."""
    x = Fraction(int(x.numerator), int(x.denominator)) if hasattr(x, "numerator") else Fraction(x)
    n, d = x.numerator, x.denominator
    if d == 1 and abs(n) < 1 << 128:
        return n
    if d & (d - 1):
        return f"{n}/{d}"
    twos = (n & -n).bit_length() - 1
    return f"{'-' if n < 0 else ''}{abs(n) >> twos:x}p{twos - d.bit_length() + 1}"


def spelled(name):
    """The value set that the emulator calls `name`, spelled out."""
    values = ValueSet.parse(name)
    shared = {"kind": values.kind, "overflow": values.overflow, "rounding": values.rounding}
    if values.kind == "grid":
        return {**shared, "values": [form(v) for v in values.grid]}
    if values.kind == "fixed":
        return {**shared, "step": form(Fraction(2) ** values.quantum_exponent), "largest": form(values.max)}
    return {
        **shared,
        "precision": values.precision,
        "emin": values.emin,
        "largest": form(values.max),
        "ftz": values.ftz,
    }


def certificate(claim, hints):
    parts = {
        "claim": claim,
        "fpcert": 1,
        "hints": hints,
        "producer": {"name": "a test", "version": "0"},
        "semantics": 1,
    }
    return canonical(parts)


def regime(name, fma=False, order="sequential", **stages):
    values = spelled(name)
    others = {stage: spelled(stages.get(stage, name)) for stage in ("rotate", "score", "softmax")}
    return {"values": values, "fma": fma, "order": order} | {
        s: "values" if f == values else f for s, f in others.items()
    }


def range_parts(name, g, C, k, value, fails, realize="ideal", criterion="gap", **others):
    claim = {"kind": "nmax", "g": g, "C": form(C), "k": k, "realize": realize, "criterion": criterion, "value": value}
    return {**claim, "regime": regime(name, **others)}, {"fails": list(fails), "road": "pairs", "E": None}


def nmax_file(*arguments, **others):
    return certificate(*range_parts(*arguments, **others))


def between_file(name, g, C, k, lower, upper, fails):
    claim, hints = range_parts(name, g, C, k, 0, fails or ())
    del claim["value"]
    claim |= {"kind": "nmax-range", "lower": lower, "upper": upper}
    return certificate(claim, {**hints, "fails": None if fails is None else list(fails)})


def flarge_file(name, value):
    return certificate({"kind": "flarge", "F": spelled(name), "value": None if value is None else form(value)}, {})


def period_file(name, theta, realize, period=None, mu=None, cycle=None, leaves=None, positions=()):
    verdict = "non-periodic" if period is None else "periodic"
    claim = {
        "kind": "period",
        "F": spelled(name),
        "theta": theta,
        "realize": realize,
        "verdict": verdict,
        "period": period,
    }
    claim |= {"preperiod": mu, "eventual": cycle, "leaves": leaves}
    return certificate(claim, {"because": "state-cycle", "positions": list(positions)})


def verdict(data, **options):
    return check_bytes(data, **options).verdict


def mine(name):
    return parse_valueset(spelled(name), "F", Purse(Account(10**6)))


def account():
    return Account(10**12)


def agree(ours, emulated):
    """Whether an element here is that of the emulator, where -0 is 0."""
    if isinstance(ours, float) or isinstance(emulated, float):
        return ours == emulated or (ours != ours and emulated != emulated)
    return ours == Fraction(int(emulated.numerator), int(emulated.denominator))


def emulated(x):
    return x if isinstance(x, float) else mpq(x.numerator, x.denominator)


def precise(bits):
    """mpmath with a precision of its own."""
    context = mpmath.MPContext()
    context.prec = bits
    return context


def real(mp, x):
    return mp.mpf(x.numerator) / x.denominator


# Fixed point


@pytest.mark.parametrize("bits", [8, 53, 64, 200, 700, 3000])
def test_enclosures_contain_the_true_value_and_are_narrow(bits):
    chooser, mp = random.Random(bits), precise(bits + 400)
    scale = mp.mpf(2) ** bits
    for constant, (low, high) in ((mp.pi, fixedpoint.pi(bits)), (mp.ln(2), fixedpoint.ln2(bits))):
        assert low <= constant * scale <= high <= low + 3
    for _ in range(40):
        turn = chooser.choice([chooser.getrandbits(bits), chooser.getrandbits(3) << (bits - 3), chooser.getrandbits(7)])
        c, s, error = fixedpoint.cos_sin(turn, bits)
        angle = 2 * mp.pi * turn / scale
        assert abs(mp.cos(angle) * scale - c) <= error < 8 * bits + 200
        assert abs(mp.sin(angle) * scale - s) <= error
        n, d = chooser.randint(-(10**6), 10**6), chooser.randint(1, 10 ** chooser.randint(0, 8))
        low, high, e = fixedpoint.exp(n, d, bits)
        assert low * mp.mpf(2) ** e <= mp.exp(mp.mpf(n) / d) <= high * mp.mpf(2) ** e
        assert low >= 1 << bits
        assert high - low < 8 * bits + 200
        n, d = chooser.randint(1, 10 ** chooser.randint(1, 40)), chooser.randint(1, 10**6)
        low, high = fixedpoint.log(n, d, bits)
        assert low <= mp.ln(mp.mpf(n) / d) * scale <= high < low + bits // 8 + 16


@given(st.fractions(min_value=0), st.integers(1, 80))
def test_root_above(x, bits):
    root = fixedpoint.root_above(x, bits)
    assert root > 0
    assert x <= root * root
    assert root * root <= (x + Fraction(1, 1 << bits)) * (1 + Fraction(8, 1 << bits)) + Fraction(4, 1 << bits)


# Exact numbers and angles


@given(
    st.one_of(
        st.integers(),
        st.fractions(),
        st.builds(lambda m, e: Fraction(m) * Fraction(2) ** e, st.integers(), st.integers(-300, 300)),
    )
)
def test_every_number_has_one_form(x):
    assert number(form(x), "x", Purse(Account(10**6))) == x
    assert isinstance(show(Fraction(x)), str)


@pytest.mark.parametrize(
    "text",
    ["2p3", "3p0", "-0p1", "0p0", "03p-1", "Ap-1", "3p+1", "3p-01", "1p-1000001", "1/2", "2/6", "4/2", "1/1", "0/3", "-0", "7", "1/-3", " 1/3",
     "1_0/3", "1/3 ", "0.5", "", "p1", "1p", "f" * 20001 + "p1", "1/" + "3" * 20001, True, None, 1.5, 1 << 128, "\u0661/\u0663"],
)  # fmt: skip
def test_another_form_of_a_number_is_malformed(text):
    with pytest.raises(Malformed):
        number(text, "x", Purse(Account(10**6)))


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("pi", lambda mp: mp.pi), ("-pi", lambda mp: -mp.pi), ("2/7*pi", lambda mp: 2 * mp.pi / 7), ("1", lambda mp: mp.mpf(1)),
        ("-3/2", lambda mp: mp.mpf(-1.5)), ("22/7", lambda mp: mp.mpf(22) / 7), ("0", lambda mp: mp.mpf(0)),
        ("10000^(-1/64)", lambda mp: mp.mpf(10000) ** (mp.mpf(-1) / 64)), ("-2^(1/2)", lambda mp: -mp.sqrt(2)),
        ("3/5*7/3^(-5/6)", lambda mp: mp.mpf(3) / 5 * (mp.mpf(7) / 3) ** (mp.mpf(-5) / 6)), ("1/1000000", lambda mp: mp.mpf(1) / 10**6),
        ("500*3^(41/2)", lambda mp: 500 * mp.mpf(3) ** mp.mpf(20.5)),
    ],
)  # fmt: skip
def test_angles_against_mpmath(text, exact):
    mp = precise(1400)
    theta, angle = exact(mp), parse_angle(text, "g", Purse(Account(10**6)))
    assert bool(angle) == (theta != 0)
    for bits, i in itertools.product((64, 500), (0, 1, 7, 10**30)):
        low, high = angle.enclose(bits)
        assert low <= theta * 2**bits <= high <= low + 8
        c, s, error = angle.cos_sin(i, bits)
        for which, (found, true) in enumerate(((c, mp.cos(i * theta)), (s, mp.sin(i * theta)))):
            assert abs(true * 2**bits - found) <= error < 2**14
            known = angle.known(i, which)
            assert known is None or abs(true - real(mp, known)) < 1e-300


def test_multiples_of_pi_with_a_rational_cosine_are_known():
    angle = parse_angle("1/12*pi", "g", Purse(Account(10**6)))
    assert [i for i in range(24) if angle.known(i, 0) is not None] == [0, 4, 6, 8, 12, 16, 18, 20]
    assert [i for i in range(24) if angle.known(i, 1) is not None] == [0, 2, 6, 10, 12, 14, 18, 22]


@pytest.mark.parametrize(
    "text",
    ["1*pi", "-1*pi", "0*pi", "2*pi*3", "pi/2", "2/4*pi", "+1", "1.5", "4^(1/2)", "2^(3)", "8/27^(-2/3)", "1*2^(1/2)", "-1*2^(1/2)", "0^(1/2)",
     "-0", "0*2^(1/2)", "2^(1/2", "2^1/2", "2^(2/4)", "", "e", 1, None],
)  # fmt: skip
def test_another_form_of_an_angle_is_malformed(text):
    with pytest.raises(Malformed):
        parse_angle(text, "g", Purse(Account(10**6)))


def test_an_angle_that_is_no_multiple_of_pi_makes_no_table():
    assert verdict(nmax_file("fp16", "1", 40, 1, 5, (7, 0), realize="table")) == "malformed"
    assert verdict(nmax_file("fp16", "1/2*pi", 40, 1, 2, (4, 0), realize="table")) != "malformed"


# Rounding and operations


def some_sets():
    names = [
        "fp16",
        "bf16",
        "e4m3",
        "e5m2",
        "e2m1",
        "e4m3fnuz",
        "fp32",
        "fp128",
        "fixed:8.3",
        "fixed:4.0",
        "nf4",
        "e5m1",
    ]
    for name, mode, policy, flush in itertools.product(names, MODES, ("inf", "saturate", "nan"), ("", ":ftz")):
        try:
            ValueSet.parse(f"{name}:{mode}:{policy}{flush}")
        except ValueError:
            continue
        yield f"{name}:{mode}:{policy}{flush}"


SETS = list(some_sets())


@settings(max_examples=300)
@given(st.sampled_from(SETS), st.data())
def test_rounding_is_that_of_the_emulator(name, data):
    ours, theirs = mine(name), ValueSet.parse(name)
    negative = data.draw(st.booleans())
    k = data.draw(
        st.one_of(
            st.integers(0, ours.top[negative]), st.integers(0, min(20, ours.top[negative])), st.just(ours.top[negative])
        )
    )
    below = ours.magnitude(k, negative)
    above = (
        ours.magnitude(k + 1, negative)
        if k < ours.top[negative]
        else 2 * below - ours.magnitude(max(k - 1, 0), negative)
    )
    part = data.draw(
        st.sampled_from(
            [Fraction(n, 16) for n in range(17)]
            + [Fraction(1, 2) - Fraction(1, 10**40), Fraction(1, 2) + Fraction(1, 10**40), Fraction(3)]
        )
    )
    x = (below + part * (above - below)) * (-1 if negative else 1)
    assert agree(ours.round(x.numerator, x.denominator), round_exact(theirs, emulated(x)))
    assert (x in ours) == (emulated(x) in theirs)


@settings(max_examples=150)
@given(st.sampled_from(SETS), st.data())
def test_operations_are_those_of_the_emulator(name, data):
    ours, theirs = mine(name), ValueSet.parse(name)

    def element():
        negative = data.draw(st.booleans())
        k = data.draw(st.one_of(st.integers(ours.first, max(ours.first, ours.top[negative])), st.just(0)))
        found = ours.round(
            *(ours.magnitude(min(k, ours.top[negative]), negative) * (-1 if negative else 1)).as_integer_ratio()
        )
        return data.draw(st.sampled_from([found, found, found, found, math.inf, -math.inf]))

    x, y, z = element(), element(), element()
    for operation in ("add", "sub", "mul", "div"):
        expected = getattr(reference, operation)(theirs, emulated(x), emulated(y))
        assert agree(getattr(arithmetic, operation)(ours, x, y), expected), operation
    assert agree(arithmetic.fma(ours, x, y, z), reference.fma(theirs, emulated(x), emulated(y), emulated(z)))
    if abs(x) < 10**6 or abs(x) == math.inf:
        assert agree(arithmetic.exp_of(ours, x, account()), reference.exp(theirs, emulated(x)))


@settings(max_examples=150)
@given(
    st.sampled_from(SETS),
    st.fractions(0, 10**6, max_denominator=999)
    | st.sampled_from([Fraction(8, 27), Fraction(2) ** -30, math.inf, math.nan]),
    st.fractions(-99, 99, max_denominator=64)
    | st.sampled_from([Fraction(10**9), Fraction(-(10**9)), math.inf, -math.inf]),
)
def test_powers_and_logarithms_are_those_of_the_emulator(name, x, y):
    ours, theirs = mine(name), ValueSet.parse(name)
    assert agree(power.log_of(ours, x, account()), rounded_log(theirs, emulated(x)))
    if (
        abs(y) < 10**9 or isinstance(x, float) or isinstance(y, float) or x in (0, 1)
    ):  # others are too long for the emulator
        assert agree(power.power_of(ours, x, y, account()), rounded_power(theirs, emulated(x), emulated(y)))
    elif not Fraction(1, 4) < x < 4:  # far out, all powers are alike
        expected = rounded_power(theirs, emulated(x), emulated(Fraction(300_000 if y > 0 else -300_000)))
        assert agree(power.power_of(ours, x, y, account()), expected)


def test_powers_and_logarithms_of_negative_numbers_are_unsupported():
    for function, operands in ((power.power_of, (Fraction(-2), Fraction(1, 3))), (power.log_of, (Fraction(-2),))):
        with pytest.raises(Unsupported, match="of a negative number"):
            function(mine("fp16"), *operands, account())


@pytest.mark.parametrize("name", ["e2m1", "e3m2", "e4m3", "fp16", "bf16", "fixed:4.0", "fixed:6.2", "nf4"])
def test_the_counter_in_every_mode(name):
    for mode, policy in itertools.product(MODES, ("saturate", "nan", "inf")):
        try:
            theirs = ValueSet.parse(f"{name}:{mode}:{policy}")
        except ValueError:
            continue
        ours, x = mine(f"{name}:{mode}:{policy}"), mpq(0)
        for i in range(40):
            assert agree(counter.counted(ours, i, account()), x)
            x = x if isinstance(x, float) else round_exact(theirs, x + 1)
        for i in (255, 257, 2047, 2048, 2049, 2050, 4100, 10**6, 10**80):
            assert agree(counter.counted(ours, i, account()), emulated_counter(theirs, i)), (mode, policy, i)
        assert agree(counter.counted(ours, None, account()), emulated_counter(theirs, 10**100))


# Blocks, scores, weights

ANGLES = {
    "1": "1",
    "1/10": "1/10",
    "1/2*pi": "pi/2",
    "6/7*pi": "2pi*3/7",
    "-3/2": "-1.5",
    "1/6*pi": "pi/6",
    "-pi": "-pi",
    "0": "0",
    "100000": "100000",
}
MACHINES = ["fp16", "bf16", "e4m3", "e5m2", "e2m1", "fixed:8.3", "nf4", "fp16:up", "e4m3:down:saturate", "bf16:odd", "fp16:ftz", "e5m2:zero", "e3m1:away", "fp64", "fp16:nan:up"]  # fmt: skip
ORDERS = ["sequential", "reverse", "pairwise", "blocked:3", "wide:fp32", "wide:e4m3"]


def order_of(text):
    kind, _, rest = text.partition(":")
    return Order(kind, int(rest) if kind == "blocked" else 1, mine(rest) if kind == "wide" else None)


@pytest.mark.parametrize("seed", range(30))
def test_blocks_scores_and_weights_are_those_of_the_emulator(seed):
    chooser = random.Random(seed)
    first = chooser.choice(MACHINES)
    names = [first] + [first if chooser.random() < 0.6 else chooser.choice(MACHINES) for _ in range(3)]
    ours = {name: mine(name) for name in names}
    theirs = [ValueSet.parse(name) for name in names]
    text = chooser.choice(list(ANGLES))
    kind = chooser.choice(["ideal", "phase", "counter", "recurrence"] + ["table"] * ("pi" in text))
    rotation = Rotation(parse_angle(text, "g", Purse(Account(10**6))), ours[first], kind, account())
    realization = realize(kind, Angle.parse(ANGLES[text]), theirs[0])
    far = [] if kind == "recurrence" else [10**6, 10**20 + chooser.randint(0, 10**6)]
    for i in [*range(12), 100, *far]:
        assert all(map(agree, rotation.block(i), realization.block(i))), (names, text, kind, i)
    fma, order, k = chooser.random() < 0.4, chooser.choice(ORDERS), chooser.choice([1, 2, 3, 7])
    C = chooser.choice([Fraction(40), Fraction(7, 3), Fraction(1000), Fraction(1, 100), Fraction(60000)])
    stages = [ours[name] for name in names]
    head = Head(rotation, C, k, Regime(*stages, fma=fma, order=order_of(order)), account())
    emulated_regime = EmulatedRegime(*theirs, theirs[0], fma, parse_order(order))
    emulated_head = EmulatedHead(emulated(C), k, realization, emulated_regime)
    for i in range(k + 1, k + 7):
        expected = [emulated_head.score(i, j) for j in range(i)]
        scores = {j: head.score(i, j) for j in range(i)}
        assert all(agree(scores[j], expected[j]) for j in range(i)), (names, text, kind, C, k, fma, i)
        weights = softmax(emulated_regime, expected).weights
        right = all(w == (1 if j == i - k else 0) for j, w in enumerate(weights))
        assert selects(stages[0], stages[3], order_of(order), scores, i - k, account()) == right, (
            names,
            text,
            kind,
            C,
            k,
            order,
            i,
        )


@given(st.sampled_from(ORDERS), st.integers(1, 40), st.data())
def test_a_sum_of_the_terms_that_are_not_zero_is_the_sum_of_all(order, n, data):
    from fpsim.sums import ordered_sum

    bf16 = mine("bf16")
    terms = [
        bf16.round(*Fraction(data.draw(st.one_of(st.just(0), st.integers(0, 10**6))), 1000).as_integer_ratio())
        for _ in range(n)
    ]
    expected = ordered_sum(ValueSet.parse("bf16"), [emulated(t) for t in terms], parse_order(order))
    assert agree(order_of(order).total(bf16, {j: t for j, t in enumerate(terms) if t}), expected)


# The error bound and the near-returns


@pytest.mark.parametrize(
    "names",
    [
        ("fp16",) * 3,
        ("bf16", "fp32", "fp32"),
        ("fp16:ftz", "bf16:up", "fp16:zero"),
        ("fixed:16.4",) * 3,
        ("fp32", "fp16", "tf32:odd"),
    ],
)
@pytest.mark.parametrize("fma", [False, True])
def test_scores_stay_within_the_error_bound(names, fma):
    sets, mp = {name: mine(name) for name in names}, precise(200)
    for C, k in ((Fraction(400), 1), (Fraction(77, 3), 4)):
        stages = Regime(*(sets[name] for name in names), sets[names[0]], fma, Order("sequential"))
        bound = errorbound.bound(stages, C)
        head = Head(
            Rotation(parse_angle("1", "g", Purse(Account(10**6))), stages.values, "ideal", account()),
            C,
            k,
            stages,
            account(),
        )
        worst = 0
        for i in range(k + 1, 48):
            exact = [real(mp, C) * mp.cos(i - k - j) for j in range(i)]
            found = [real(mp, head.score(i, j)) for j in range(i)]
            worst = max(worst, *(abs(x - y) for x, y in zip(found, exact, strict=True)))
            assert worst <= float(bound.score)
            for j in range(i):
                y, difference = exact[i - k] - exact[j], found[i - k] - found[j]
                most = float(bound.query) * mp.sqrt(2 * abs(y) / real(mp, C)) * (1 + 1e-12) + float(bound.common)
                assert abs(difference - y) <= most
        assert worst > float(bound.score) / 60  # it is no empty bound


def test_no_bound_where_something_can_be_beyond_range():
    fp16 = mine("fp16")
    same = Regime(fp16, fp16, fp16, fp16, False, Order("sequential"))
    assert errorbound.bound(same, Fraction(65504)) is None
    assert errorbound.bound(same, Fraction(60000)) is not None
    assert errorbound.moved(fp16, Fraction(65505)) is None
    assert errorbound.moved(mine("e2m1:zero"), Fraction(6)) == 2


@pytest.mark.parametrize("name", ["fp16", "fp16:up", "fp16:ftz", "e4m3:zero", "nf4", "fixed:8.3:odd"])
def test_no_number_is_moved_further_than_said(name):
    values = mine(name)
    for bound in (Fraction(1, 10**6), Fraction(1, 7), Fraction(1), values.largest()):
        for n in range(-200, 201):
            x = bound * Fraction(n, 200)
            assert abs(values.round(x.numerator, x.denominator) - x) <= errorbound.moved(values, bound)


@pytest.mark.parametrize(
    "text", ["1", "1/10", "-3/2", "6/7*pi", "1/500*pi", "2^(1/2)", "0", "2*pi", "355/113", "1/1000000"]
)
@pytest.mark.parametrize(
    "delta", [Fraction(1, 5), Fraction(1, 7), Fraction(1, 100), Fraction(1, 3000), Fraction(1, 10**7)]
)
def test_near_returns_against_looking_at_every_n(text, delta):
    angle = parse_angle(text, "g", Purse(Account(10**6)))
    found = list(returns.near_returns(angle, 3000, delta, account()))
    assert found == sorted(set(found))
    low, _ = angle.turns(160)
    alpha = Fraction(low, 1 << 160)
    distances = {n: abs((n * alpha + Fraction(1, 2)) % 1 - Fraction(1, 2)) for n in range(1, 3001)}
    near = Fraction(1, 10**9)
    assert (
        {n for n, d in distances.items() if d <= delta - near}
        <= set(found)
        <= {n for n, d in distances.items() if d <= delta + delta / 1000 + near}
    )


@given(st.integers(1, 400), st.data())
def test_the_first_step_into_a_window(modulus, data):
    step = data.draw(st.integers(0, modulus - 1))
    width = data.draw(st.integers(0, (modulus - 1) // 2))
    assert returns._first(step, modulus, width) == next(n for n in itertools.count(1) if n * step % modulus <= width)


@given(st.fractions(0, Fraction(1, 8)))
def test_the_arc_is_wide_enough(ratio):
    mp = precise(100)
    exact = mp.asin(mp.sqrt(real(mp, ratio))) / mp.pi
    found = returns.arc(ratio)
    assert exact <= float(found) * (1 + 1e-15)
    assert float(found) <= exact * 1.1 + 1e-9
    assert returns.arc(ratio + Fraction(1, 8) + Fraction(1, 1000)) is None


@given(
    st.tuples(st.integers(-50, 50), st.integers(-50, 50)).filter(any),
    st.tuples(st.integers(-50, 50), st.integers(-50, 50)).filter(any),
)
def test_directions_rise_with_the_angle(a, b):
    from certify.checker.buckets import direction

    places = [direction(Fraction(x, 7), Fraction(y, 7)) for x, y in (a, b)]
    angles = [math.atan2(y, x) % (2 * math.pi) for x, y in (a, b)]
    if abs(angles[0] - angles[1]) > 1e-9:
        assert (places[0] < places[1]) == (angles[0] < angles[1])


# Verdicts on certified ranges

TABLE = [
    ("fp16", 40, 5, (7, 0)), ("fp16", 10000, 43, (45, 0)), ("fp16", 60000, 44, (46, 1)), ("bf16", 10000, 20, (22, 2)),
    ("fp32", 10**12, 709, (711, 0)), ("e4m3", 256, 5, (7, 0)), ("fixed:8.3", 15, 5, (7, 0)), ("fixed:8.4", 7, 0, (2, 0)),
    ("fp64", 10**18, 80143856, (80143858, 0)), ("fp128", 10**18, 10838701, (10838703, 0)),
    ("fp128", 10**37, 30246273033735920, (30246273033735922, 0)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "C", "value", "fails"), TABLE)
def test_the_table_of_the_semantics(name, C, value, fails):
    report = check_bytes(nmax_file(name, "1", C, 1, value, fails))
    assert (report.verdict, report.exit_code) == ("verified", 0)
    assert report.obligations >= 3
    assert report.lines[-1].startswith("verdict=verified file=- sha256=")
    assert f"= {value}" in report.lines[1]
    assert verdict(nmax_file(name, "1", C, 1, value + 1, fails)) == "refuted"
    if value:
        assert verdict(nmax_file(name, "1", C, 1, value - 1, fails)) == "refuted"
    else:
        assert verdict(nmax_file(name, "1", C, 1, -1, fails)) == "malformed"


def test_a_wrong_hint_is_made_good():
    for fails in ((45, 1), (45, 44), (44, 0), (45, 45), (45, 10**30), (0, 0), (46, 0), (10**30, 3)):
        assert verdict(nmax_file("fp16", "1", 10000, 1, 43, fails)) == "verified"
        assert verdict(nmax_file("fp16", "1", 10000, 1, 42, fails)) == "refuted"
    assert verdict(nmax_file("fp64", "1", 10**18, 1, 80143856, (80143858, 5))) == "verified"  # found by near-returns
    assert verdict(nmax_file("fp64", "1", 10**18, 1, 80143855, (80143857, 5))) == "refuted"


def test_a_range_with_two_ends_or_one():
    for lower, upper, fails, expected in (
        (40, 50, (45, 0), "verified"), (43, 43, (45, 0), "verified"), (None, 43, (45, 0), "verified"), (43, None, None, "verified"),
        (0, None, None, "verified"), (44, None, None, "refuted"), (44, 50, (45, 0), "refuted"), (10, 42, (44, 0), "refuted"),
        (None, 42, (45, 0), "refuted"), (10, 60, (50, 3), "verified"), (None, None, None, "malformed"), (5, 4, (6, 0), "malformed"),
        (5, 50, None, "malformed"), (5, None, (45, 0), "malformed"), (-1, None, None, "malformed"),
    ):  # fmt: skip
        assert verdict(between_file("fp16", "1", 10000, 1, lower, upper, fails)) == expected, (lower, upper, fails)


def test_many_pairs_by_near_returns():
    report = check_bytes(nmax_file("fp32", "1", 10**12, 1, 709, (711, 0)))
    assert report.verdict == "verified"
    assert any("near-returns" in line for line in report.lines)
    assert verdict(nmax_file("fp32", "1/10", 10**9, 1, 7100, (7102, 0))) == "refuted"
    assert verdict(nmax_file("fp32", "1/10", 10**9, 1, 7098, (7100, 0))) == "refuted"


@pytest.mark.parametrize("realization", ["phase", "counter", "recurrence"])
def test_many_pairs_by_buckets(realization):
    report = check_bytes(nmax_file("fp32", "1", 10**9, 1, 709, (711, 0), realize=realization))
    assert report.verdict == "verified"
    assert any("direction of a query" in line for line in report.lines)
    assert verdict(nmax_file("fp32", "1", 10**9, 1, 710, (712, 0), realize=realization)) == "refuted"


@pytest.mark.parametrize("seed", range(40))
def test_the_three_ways_agree_with_the_producer(seed, monkeypatch):
    chooser = random.Random(1000 + seed)
    name = chooser.choice(
        [
            "fp16",
            "bf16",
            "fp32",
            "e4m3",
            "e5m2",
            "fixed:12.4",
            "fp16:zero",
            "fp16:ftz",
            "fp16:nan",
            "tf32",
            "e4m3:saturate",
        ]
    )
    others = {
        stage: name if chooser.random() < 0.75 else chooser.choice(["fp16", "fp32", "bf16:zero", "fp16:ftz"])
        for stage in ("rotate", "score", "softmax")
    }
    text = chooser.choice([t for t in ANGLES if t != "0"])
    kind = chooser.choice(["ideal", "ideal", "phase", "counter", "recurrence"] + ["table"] * ("pi" in text))
    options = {
        "k": chooser.choice([1, 1, 2, 3, 7]),
        "realize": kind,
        "criterion": chooser.choice(["gap", "weight"]),
        "fma": chooser.random() < 0.3,
    }
    order = chooser.choice(ORDERS[:5])
    C = chooser.choice([40, 448, 100, 15])
    stages = {f"{stage}_dtype": other for stage, other in others.items()}
    found = certify.nmax(g=ANGLES[text], C=C, dtype=name, order=order, **stages, **options, max_length=300)
    orders = {"blocked:3": {"blocked": 3}, "wide:fp32": {"wide": spelled("fp32")}}
    options |= {"order": orders.get(order, order), **others}
    k = options.pop("k")
    if found.status == "undefined":
        assert verdict(nmax_file(name, text, C, k, k + 3, (k + 5, 0), **options)) == "refuted"
        return
    if found.status != "exact":
        assert verdict(nmax_file(name, text, C, k, k + 3, (k + 5, 0), **options)) == "refuted"
        return
    fails = found.witness.i, found.witness.j
    for few in (3000, 0):
        monkeypatch.setattr(rows, "_FEW", few)
        for change in (-1, 0, 1):
            if found.n_max + change >= k - 1:
                expected = "refuted" if change else "verified"
                data = nmax_file(name, text, C, k, found.n_max + change, fails, **options)
                assert verdict(data) == expected, (name, others, text, C, options, found.n_max, change, few)


def test_no_range_where_there_is_no_f_large():
    assert verdict(nmax_file("fp16:up", "1", 40, 1, 5, (7, 0))) == "refuted"


def test_far_positions_of_every_realization():
    far = 10**40
    for kind, expected in (
        ("ideal", "undecided"),
        ("phase", "undecided"),
        ("counter", "undecided"),
        ("recurrence", "undecided"),
    ):
        assert verdict(nmax_file("fp16", "1", 10000, 1, far, (far + 2, 0), realize=kind)) == expected
    assert verdict(between_file("fp16", "1", 10000, 1, None, far, (45, 0))) == "verified"


# Verdicts on f_large


@pytest.mark.parametrize(
    "name",
    [*NAMED, "fp16:zero", "fp16:ftz", "fp32:away", "fixed:8.3", "fixed:16.4", "e8m3", "nf4", "fp16:up", "bf16:odd"],
)
def test_f_large_of_every_format(name):
    value, values = f_large(name), mine(name)
    assert verdict(flarge_file(name, value)) == "verified"
    assert verdict(flarge_file(name, None)) == ("verified" if value is None else "refuted")
    positive = Fraction(int(value.numerator), int(value.denominator)) if value is not None else values.largest()
    k, _ = values.locate(positive.numerator, positive.denominator, False)
    for other in (k - 1, k + 1):
        if values.first <= other <= values.top[0]:
            assert verdict(flarge_file(name, values.magnitude(other, False))) == "refuted"
    assert verdict(flarge_file(name, Fraction(1, 3))) == "refuted"
    assert verdict(flarge_file(name, -positive)) == "refuted"


# Verdicts on periods


def first_cycle(blocks):
    """(mu, lambda) of a sequence whose next entry is a function of this one, or the position of a NaN."""
    seen = {}
    for i, block in enumerate(blocks):
        if any(x != x for x in block):
            return i
        if block in seen:
            return seen[block], i - seen[block]
        seen[block] = i
    return None


@pytest.mark.parametrize(
    "name", ["e2m1", "e3m2", "e4m3", "e5m2", "e2m3:zero", "e4m3:up", "fixed:6.3", "nf4", "e5m2:odd"]
)
@pytest.mark.parametrize("text", ["1", "1/2*pi", "-3/2", "1/6*pi", "0"])
def test_recurrences_against_looking_at_every_state(name, text):
    realization = realize("recurrence", Angle.parse(ANGLES[text]), ValueSet.parse(name))
    truth = first_cycle(tuple(0 if x == 0 else x for x in realization.block(i)) for i in range(3000))
    if isinstance(truth, int):
        assert verdict(period_file(name, text, "recurrence", leaves=truth)) == "verified"
        wrong = [
            {"leaves": truth + 1},
            {"leaves": truth - 1},
            {"mu": 1, "cycle": 1},
            {"period": 1, "mu": 0, "cycle": 1},
            {},
        ]
    else:
        mu, cycle = truth
        period = cycle if mu == 0 else None
        assert verdict(period_file(name, text, "recurrence", period, mu, cycle)) == "verified"
        wrong = [
            {"mu": mu + 1, "cycle": cycle},
            {"mu": mu - 1, "cycle": cycle},
            {"mu": mu, "cycle": 2 * cycle},
            {"mu": mu, "cycle": cycle + 1},
        ]
        wrong += [
            {"mu": mu, "cycle": cycle - 1},
            {"leaves": 5},
            {},
            {"period": cycle, "mu": 0, "cycle": cycle} if mu else {"mu": 1, "cycle": cycle},
        ]
    for claim in wrong:
        if min((v for v in claim.values()), default=1) >= 0 and claim.get("cycle", 1) >= 1:
            assert verdict(period_file(name, text, "recurrence", **claim)) in {"refuted", "malformed"}, claim


@pytest.mark.parametrize(
    ("name", "text", "least"),
    [
        ("fp16", "6/7*pi", 7),
        ("fp16", "1/2*pi", 4),
        ("e2m1", "1/500*pi", 1000),
        ("fixed:3.0", "1/6*pi", 12),
        ("fp16", "2*pi", 1),
        ("fp32", "-1/12*pi", 24),
    ],
)
def test_tables(name, text, least):
    for kind in ("ideal", "table"):
        for period in (
            {*range(1, min(2 * least, 20)), least // 2, least, 2 * least} - {0} if least < 100 else {least // 2, least}
        ):
            expected = "verified" if period == least else "refuted"
            assert verdict(period_file(name, text, kind, period, 0, period)) == expected
        assert verdict(period_file(name, text, kind, mu=1, cycle=least)) == "refuted"
        assert verdict(period_file(name, text, kind, leaves=0)) == "refuted"
        assert verdict(period_file(name, text, kind)) == "refuted"


def test_irrational_angles():
    assert verdict(period_file("fp16", "1", "ideal", positions=(0, 1))) == "verified"
    assert verdict(period_file("fp16", "2^(1/2)", "ideal")) == "verified"
    assert verdict(period_file("fp16", "1/1000000", "ideal", positions=(1, 10**6))) == "verified"
    assert verdict(period_file("e2m1", "1/1000000", "ideal")) == "undecided"  # equal up to far beyond what is searched
    assert verdict(period_file("e2m1", "1/1000000", "ideal", positions=(1, 2 * 10**6))) == "verified"
    for claim in ({"period": 44, "mu": 0, "cycle": 44}, {"mu": 1, "cycle": 44}, {"leaves": 3}):
        assert verdict(period_file("fp16", "1", "ideal", **claim)) == "refuted"


def test_an_irrational_angle_in_a_set_without_small_values():
    for mode, mu in (("even", 0), ("zero", 1)):  # round(1) is 0 in {0, 4}, 1 in {0, 1} towards 0
        values = {
            "kind": "grid",
            "values": [-4, 0, 4] if mode == "even" else [-1, 0, 1],
            "overflow": "saturate",
            "rounding": mode,
        }
        for claimed in ((0, 1), (1, 1), (2, 1), (0, 2), None):
            data = json.loads(
                period_file(
                    "fp16",
                    "1",
                    "ideal",
                    *((claimed[1],) if claimed and claimed[0] == 0 else (None,)),
                    *(claimed or (None, None)),
                )
            )
            data["claim"]["F"] = values
            expected = "verified" if claimed == (mu, 1) else "refuted"
            assert verdict(canonical(data)) == expected, (mode, claimed)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [("fp16", "1", "phase"), ("fp16", "1", "counter"), ("bf16", "1/10", "phase"), ("bf16", "100000", "phase"), ("bf16", "1/10", "counter"), ("e4m3", "1", "phase"),
     ("e4m3:saturate", "-3/2", "phase"), ("e2m1", "1/2*pi", "phase"), ("e2m1", "1", "counter"), ("e5m2:up", "1", "counter"), ("fp16:up", "1/10", "counter"),
     ("fixed:8.3", "1", "phase"), ("fixed:4.0:away", "1", "counter"), ("nf4", "1", "phase"), ("fp64", "1/10", "counter"), ("fp32", "2^(1/2)", "phase"), ("fp16:zero", "1", "phase")],
)  # fmt: skip
def test_phases_and_counters_against_the_producer(name, text, kind):
    found = certify.period(theta=ANGLES.get(text, "1.4142135"), dtype=name, realize=kind).components[0].verdict
    if text not in ANGLES:
        text = "2828427/2000000"
    claim = {"period": found.period, "mu": found.preperiod, "cycle": found.eventual_period, "leaves": found.leaves_F_at}
    assert verdict(period_file(name, text, kind, **claim)) == "verified"
    wrong = [{"mu": 1, "cycle": 2}, {"period": 2, "mu": 0, "cycle": 2}, {}]
    if found.leaves_F_at is None:
        wrong += [{"leaves": 0}, {"mu": found.preperiod + 1, "cycle": 1}, {"mu": found.preperiod, "cycle": 2}]
        wrong += [{"mu": found.preperiod - 1, "cycle": 1}] if found.preperiod > 1 else []
    else:
        wrong += [{"leaves": found.leaves_F_at + 1}, {"mu": found.leaves_F_at, "cycle": 1}]
        wrong += [{"leaves": found.leaves_F_at - 1}] if found.leaves_F_at else []
    for other in wrong:
        assert verdict(period_file(name, text, kind, **other)) in {"refuted", "malformed"}, other


# What is no certificate, unsupported or too much


def changed(path, value):
    """A good certificate with one field put, or for ... taken out."""
    data = json.loads(nmax_file("fp16", "1", 40, 1, 5, (7, 0)))
    *parents, last = path
    target = data
    for name in parents:
        target = target[name]
    if value is ...:
        del target[last]
    else:
        target[last] = value
    return canonical(data)


GRID = {"kind": "grid", "overflow": "inf", "rounding": "even"}
FLOAT = spelled("fp16")
FIXED = spelled("fixed:8.3")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("fpcert",), 2), (("fpcert",), True), (("fpcert",), "1"), (("semantics",), 2), (("producer",), {}), (("producer", "name"), 1), (("producer",), ...),
        (("other",), 1), (("claim",), []), (("claim", "kind"), 1), (("claim", "kind"), ...), (("hints",), None), (("hints", "other"), 1), (("hints", "E"), ...),
        (("hints", "E"), -1), (("hints", "E"), "1"), (("hints", "road"), "other"), (("hints", "fails"), [7]), (("hints", "fails"), [7, -1]), (("hints", "fails"), [7, True]),
        (("hints", "fails"), None), (("hints", "fails"), [7, "0"]), (("claim", "C"), 0), (("claim", "C"), -40), (("claim", "C"), "5p3"), (("claim", "C"), None),
        (("claim", "k"), 0), (("claim", "k"), True), (("claim", "k"), "1"), (("claim", "value"), -1), (("claim", "value"), None), (("claim", "value"), "5"),
        (("claim", "g"), "0.1"), (("claim", "g"), 1), (("claim", "realize"), "array"), (("claim", "criterion"), []), (("claim", "regime"), {}),
        (("claim", "regime", "fma"), 0), (("claim", "regime", "order"), "other"), (("claim", "regime", "order"), {"blocked": 0}), (("claim", "regime", "order"), {"wide": "values"}),
        (("claim", "regime", "rotate"), FLOAT), (("claim", "regime", "rotate"), "score"), (("claim", "regime", "values"), "values"), (("claim", "regime", "values"), []),
        (("claim", "regime", "values", "largest"), 65505), (("claim", "regime", "values", "largest"), -65504), (("claim", "regime", "values", "precision"), 0),
        (("claim", "regime", "values", "precision"), 241), (("claim", "regime", "values", "emin"), 1000001), (("claim", "regime", "values", "ftz"), 0),
        (("claim", "regime", "values", "overflow"), "wrap"), (("claim", "regime", "values", "rounding"), "stochastic"), (("claim", "regime", "values", "kind"), "grid"),
        (("claim", "regime", "values"), {**GRID, "values": []}), (("claim", "regime", "values"), {**GRID, "values": [1, 2]}), (("claim", "regime", "values"), {**GRID, "values": [0, 2, 1]}),
        (("claim", "regime", "values"), {**GRID, "values": [0, 1, 1]}), (("claim", "regime", "values"), {**GRID, "values": {}}), (("claim", "regime", "values"), {**GRID, "values": [0, "2/4"]}),
        (("claim", "regime", "values"), {**FLOAT, "ftz": True, "largest": "1p-20"}), (("claim", "regime", "values"), {**FIXED, "step": 3}), (("claim", "regime", "values"), {**FIXED, "step": 0}),
        (("claim", "regime", "values"), {**FIXED, "largest": "1p-9"}), (("claim", "regime", "values"), {**FIXED, "step": "1/3"}), (("claim", "regime", "values"), {**FIXED, "largest": -1}),
    ],
)  # fmt: skip
def test_malformed(path, value):
    assert verdict(changed(path, value)) == "malformed"
    assert verdict(changed(("claim", "value"), 5)) == "verified"


GOOD = nmax_file("fp16", "1", 40, 1, 5, (7, 0))


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"{}", b"{}\n", b"[]\n", b"1\n", GOOD[:-1], GOOD + b"\n", b" " + GOOD, GOOD.replace(b":", b": "), GOOD.replace(b"40", b"40.0"), GOOD.replace(b"40", b"4e1"),
     GOOD.replace(b"40", b"NaN"), GOOD.replace(b"40", b"-0"), GOOD.replace(b'"C"', b'"\\u0043"'), GOOD.replace(b'"g":"1"', b'"g":"1","g":"1"'), b"\xef\xbb\xbf" + GOOD,
     GOOD.replace(b"a test", "é".encode()), GOOD.replace(b"a test", b"a\ntest"), GOOD.decode().encode("utf-16"), GOOD.replace(b"\n", b"\r\n"), GOOD.replace(b'"k":1,', b'') + b'{}'],
)  # fmt: skip
def test_other_bytes_are_malformed(data):
    assert verdict(data) == "malformed"


def test_unknown_kinds_are_unsupported():
    for kind in ("pipeline", "anything"):
        data = certificate({"kind": kind, "x": 1}, {"y": [1]})
        assert check_bytes(data).exit_code == 4
    lopsided = json.loads(period_file("fp16", "1", "ideal"))
    lopsided["claim"]["F"] = {"kind": "grid", "values": ["-1p-1", 0, 1], "overflow": "nan", "rounding": "even"}
    assert verdict(canonical(lopsided)) == "unsupported"


def test_a_value_set_without_1_has_a_nan_at_position_0():
    small = json.loads(period_file("fp16", "1", "phase", leaves=0))
    small["claim"]["F"] = {"kind": "grid", "values": ["-1p-1", 0, "1p-1"], "overflow": "nan", "rounding": "even"}
    for kind in ("ideal", "phase", "counter", "recurrence"):
        small["claim"]["realize"] = kind
        small["claim"]["leaves"] = 0
        assert verdict(canonical(small)) == "verified"
        small["claim"]["leaves"] = 1
        assert verdict(canonical(small)) == "refuted"


def test_contradictory_periods_are_malformed():
    for claim in ({"period": 3, "mu": 0, "cycle": 2}, {"period": 3, "mu": 1, "cycle": 3}, {"period": 3}, {"period": 3, "mu": 0, "cycle": 3, "leaves": 1}, {"mu": 0, "cycle": 3},
                  {"mu": 2}, {"cycle": 2}, {"mu": 2, "cycle": 3, "leaves": 5}, {"period": 0, "mu": 0, "cycle": 0}, {"leaves": -1}):  # fmt: skip
        assert verdict(period_file("fp16", "1", "recurrence", **claim)) == "malformed", claim


def test_work_is_bounded():
    for data in (
        nmax_file("fp16", "1", 10000, 1, 43, (45, 0)),
        nmax_file("fp32", "1", 10**12, 1, 709, (711, 0)),
        flarge_file("fp16", Fraction(555, 32)),
        period_file("fp16", "6/7*pi", "table", 7, 0, 7),
    ):
        assert check_bytes(data, max_work=0).exit_code == 3
        assert verdict(data) == "verified"
    assert check_bytes(nmax_file("fp16", "1", 10000, 1, 43, (45, 0)), max_work=100).exit_code == 3


# Fuzzing

FILES = [
    GOOD,
    flarge_file("fp16", Fraction(555, 32)),
    period_file("e4m3", "1", "counter", mu=16, cycle=1),
    between_file("fp16", "1", 40, 1, 5, 5, (7, 0)),
]


@settings(max_examples=150)
@given(st.sampled_from(FILES), st.data())
def test_a_changed_byte_ends_in_a_verdict(file, data):
    place = data.draw(st.integers(0, len(file) - 1))
    changed_file = file[:place] + data.draw(st.binary(max_size=3)) + file[place + data.draw(st.integers(0, 3)) :]
    report = check_bytes(changed_file, max_work=20_000)
    assert report.exit_code in {0, 1, 2, 3, 4}
    assert len(report.lines[-1].split()) == 4


@settings(max_examples=300)
@given(st.binary(max_size=200))
@example(b"\x00{\x00}")
def test_random_bytes_are_malformed(data):
    assert verdict(data) == "malformed"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["kind", "C", "k", "values", "wide", "largest"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(st.sampled_from(FILES), st.data(), JSON)
def test_any_value_in_any_field_ends_in_a_verdict(file, data, value):
    parts = json.loads(file)
    target, name = parts, data.draw(st.sampled_from(sorted(parts)))
    while isinstance(target[name], dict) and target[name] and data.draw(st.booleans()):
        target, name = target[name], data.draw(st.sampled_from(sorted(target[name])))
    target[name] = value
    assert check_bytes(canonical(parts), max_work=20_000).exit_code in {0, 1, 2, 3, 4}


# The command


@pytest.fixture
def files(tmp_path):
    contents = {
        "verified": GOOD, "refuted": nmax_file("fp16", "1", 40, 1, 6, (8, 0)), "malformed": b"{}\n",
        "undecided": nmax_file("fp16", "1", 40, 1, 10**30, (10**30 + 2, 0)), "unsupported": certificate({"kind": "pipeline"}, {}),
    }  # fmt: skip
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return {name: str(tmp_path / name) for name in contents}


def test_exit_codes_of_one_file_and_of_several(files, capsys):
    codes = {"verified": 0, "refuted": 1, "malformed": 2, "undecided": 3, "unsupported": 4}
    for name, code in codes.items():
        assert main([files[name]]) == code
        assert capsys.readouterr().out.splitlines()[-1].startswith(f"verdict={name} file={files[name]} sha256=")
    for first, second in itertools.combinations(codes, 2):
        worst = min((codes[name] for name in (first, second) if codes[name]), default=0)
        assert main([files[first], files[second]]) == main([files[second], files[first]]) == worst
    assert main([files["verified"] + "-not-there"]) == 2
    assert main(["--max-work", "1", files["verified"]]) == 3


def test_an_exception_is_never_a_verdict(files, monkeypatch, capsys):
    def fails(*_):
        raise MemoryError

    monkeypatch.setattr("certify.checker.command.check_bytes", fails)
    assert main([files["verified"], files["refuted"]]) == 70
    assert capsys.readouterr().out.splitlines()[-1].startswith("verdict=internal-error ")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("certify.checker.command.check_bytes", interrupted)
    assert main([files["verified"]]) == 130


def test_the_name_of_a_file_cannot_forge_a_line():
    report = check_bytes(b"", name="x\nverdict=verified file=y")
    assert report.lines[-1].startswith("verdict=malformed file=x?verdict=verified?file=y ")
