"""Constants and tables of the exp, sin and cos kernels.  Written by `generate_constants.py`; do not edit.

A number with several parts `X_1, X_2, ...` (or `X_HI, X_LO`) is their sum: part 1 is the number rounded to nearest
binary64, part 2 is what remains, rounded again, and so on.
"""

from __future__ import annotations

import numpy as np

MAGIC = 6755399441055744.0
"""1.5 * 2^52: adding it to y, |y| < 2^51, rounds y to an integer, held in the low bits of the sum."""

# 1/ln 2
INVERSE_LN2 = float.fromhex("0x1.71547652b82fep+0")
# ln 2
LN2_1 = float.fromhex("0x1.62e42fefa39efp-1")
LN2_2 = float.fromhex("0x1.abc9e3b39803fp-56")
# 128/ln 2
EXP_STEPS_PER_UNIT = float.fromhex("0x1.71547652b82fep+7")
# ln(2)/128
EXP_STEP_1 = float.fromhex("0x1.62e42fefa39efp-8")
EXP_STEP_2 = float.fromhex("0x1.abc9e3b39803fp-63")
EXP_STEP_3 = float.fromhex("0x1.7b57a079a1934p-118")
# 1/pi
INVERSE_PI = float.fromhex("0x1.45f306dc9c883p-2")
# pi/2
HALF_PI_1 = float.fromhex("0x1.921fb54442d18p+0")
HALF_PI_2 = float.fromhex("0x1.1a62633145c07p-54")
HALF_PI_3 = float.fromhex("-0x1.f1976b7ed8fbcp-110")
# 256/pi
SINE_STEPS_PER_UNIT = float.fromhex("0x1.45f306dc9c883p+6")
# pi/256
SINE_STEP_1 = float.fromhex("0x1.921fb54442d18p-7")
SINE_STEP_2 = float.fromhex("0x1.1a62633145c07p-61")
SINE_STEP_3 = float.fromhex("-0x1.f1976b7ed8fbcp-117")
# 2 pi
TWO_PI_1 = float.fromhex("0x1.921fb54442d18p+2")
TWO_PI_2 = float.fromhex("0x1.1a62633145c07p-52")
INVERSE_FACTORIAL_HI = (
    1.0,
    1.0,
    float.fromhex("0x1.0000000000000p-1"),
    float.fromhex("0x1.5555555555555p-3"),
    float.fromhex("0x1.5555555555555p-5"),
    float.fromhex("0x1.1111111111111p-7"),
    float.fromhex("0x1.6c16c16c16c17p-10"),
    float.fromhex("0x1.a01a01a01a01ap-13"),
    float.fromhex("0x1.a01a01a01a01ap-16"),
    float.fromhex("0x1.71de3a556c734p-19"),
    float.fromhex("0x1.27e4fb7789f5cp-22"),
    float.fromhex("0x1.ae64567f544e4p-26"),
    float.fromhex("0x1.1eed8eff8d898p-29"),
    float.fromhex("0x1.6124613a86d09p-33"),
    float.fromhex("0x1.93974a8c07c9dp-37"),
    float.fromhex("0x1.ae7f3e733b81fp-41"),
    float.fromhex("0x1.ae7f3e733b81fp-45"),
    float.fromhex("0x1.952c77030ad4ap-49"),
    float.fromhex("0x1.6827863b97d97p-53"),
    float.fromhex("0x1.2f49b46814157p-57"),
    float.fromhex("0x1.e542ba4020225p-62"),
    float.fromhex("0x1.71b8ef6dcf572p-66"),
)
"""1/n!, n = 0..21, leading part."""

INVERSE_FACTORIAL_LO = (
    0.0,
    0.0,
    0.0,
    float.fromhex("0x1.5555555555555p-57"),
    float.fromhex("0x1.5555555555555p-59"),
    float.fromhex("0x1.1111111111111p-63"),
    float.fromhex("-0x1.f49f49f49f49fp-65"),
    float.fromhex("0x1.a01a01a01a01ap-73"),
    float.fromhex("0x1.a01a01a01a01ap-76"),
    float.fromhex("-0x1.c154f8ddc6c00p-73"),
    float.fromhex("0x1.cbbc05b4fa99ap-76"),
    float.fromhex("-0x1.c062e06d1f209p-80"),
    float.fromhex("-0x1.2aec959e14c06p-83"),
    float.fromhex("0x1.f28e0cc748ebep-87"),
    float.fromhex("0x1.05d6f8a2efd1fp-92"),
    float.fromhex("0x1.1d8656b0ee8cbp-97"),
    float.fromhex("0x1.1d8656b0ee8cbp-101"),
    float.fromhex("0x1.ac981465ddc6cp-103"),
    float.fromhex("0x1.eec01221a8b0bp-107"),
    float.fromhex("0x1.2650f61dbdcb4p-112"),
    float.fromhex("0x1.ea72b4afe3c2fp-120"),
    float.fromhex("-0x1.d043ae40c4647p-120"),
)
"""1/n!, n = 0..21, second part."""

_EXP2 = """
    0x1.0000000000000p+0 0x0.0p+0
    0x1.0163da9fb3335p+0 0x1.b61299ab8cdb7p-54
    0x1.02c9a3e778061p+0 -0x1.19083535b085dp-56
    0x1.04315e86e7f85p+0 -0x1.0a31c1977c96ep-54
    0x1.059b0d3158574p+0 0x1.d73e2a475b465p-55
    0x1.0706b29ddf6dep+0 -0x1.c91dfe2b13c27p-55
    0x1.0874518759bc8p+0 0x1.186be4bb284ffp-57
    0x1.09e3ecac6f383p+0 0x1.1487818316136p-54
    0x1.0b5586cf9890fp+0 0x1.8a62e4adc610bp-54
    0x1.0cc922b7247f7p+0 0x1.01edc16e24f71p-54
    0x1.0e3ec32d3d1a2p+0 0x1.03a1727c57b53p-59
    0x1.0fb66affed31bp+0 -0x1.b9bedc44ebd7bp-57
    0x1.11301d0125b51p+0 -0x1.6c51039449b3ap-54
    0x1.12abdc06c31ccp+0 -0x1.1b514b36ca5c7p-58
    0x1.1429aaea92de0p+0 -0x1.32fbf9af1369ep-54
    0x1.15a98c8a58e51p+0 0x1.2406ab9eeab0ap-55
    0x1.172b83c7d517bp+0 -0x1.19041b9d78a76p-55
    0x1.18af9388c8deap+0 -0x1.11023d1970f6cp-54
    0x1.1a35beb6fcb75p+0 0x1.e5b4c7b4968e4p-55
    0x1.1bbe084045cd4p+0 -0x1.95386352ef607p-54
    0x1.1d4873168b9aap+0 0x1.e016e00a2643cp-54
    0x1.1ed5022fcd91dp+0 -0x1.1df98027bb78cp-54
    0x1.2063b88628cd6p+0 0x1.dc775814a8495p-55
    0x1.21f49917ddc96p+0 0x1.2a97e9494a5eep-55
    0x1.2387a6e756238p+0 0x1.9b07eb6c70573p-54
    0x1.251ce4fb2a63fp+0 0x1.ac155bef4f4a4p-55
    0x1.26b4565e27cddp+0 0x1.2bd339940e9d9p-55
    0x1.284dfe1f56381p+0 -0x1.a4c3a8c3f0d7ep-54
    0x1.29e9df51fdee1p+0 0x1.612e8afad1255p-55
    0x1.2b87fd0dad990p+0 -0x1.10adcd6381aa4p-59
    0x1.2d285a6e4030bp+0 0x1.0024754db41d5p-54
    0x1.2ecafa93e2f56p+0 0x1.1ca0f45d52383p-56
    0x1.306fe0a31b715p+0 0x1.6f46ad23182e4p-55
    0x1.32170fc4cd831p+0 0x1.a9ce78e18047cp-55
    0x1.33c08b26416ffp+0 0x1.32721843659a6p-54
    0x1.356c55f929ff1p+0 -0x1.b5cee5c4e4628p-55
    0x1.371a7373aa9cbp+0 -0x1.63aeabf42eae2p-54
    0x1.38cae6d05d866p+0 -0x1.e958d3c9904bdp-54
    0x1.3a7db34e59ff7p+0 -0x1.5e436d661f5e3p-56
    0x1.3c32dc313a8e5p+0 -0x1.efff8375d29c3p-54
    0x1.3dea64c123422p+0 0x1.ada0911f09ebcp-55
    0x1.3fa4504ac801cp+0 -0x1.7d023f956f9f3p-54
    0x1.4160a21f72e2ap+0 -0x1.ef3691c309278p-58
    0x1.431f5d950a897p+0 -0x1.1c7dde35f7999p-55
    0x1.44e086061892dp+0 0x1.89b7a04ef80d0p-59
    0x1.46a41ed1d0057p+0 0x1.c944bd1648a76p-54
    0x1.486a2b5c13cd0p+0 0x1.3c1a3b69062f0p-56
    0x1.4a32af0d7d3dep+0 0x1.9cb62f3d1be56p-54
    0x1.4bfdad5362a27p+0 0x1.d4397afec42e2p-56
    0x1.4dcb299fddd0dp+0 0x1.8ecdbbc6a7833p-54
    0x1.4f9b2769d2ca7p+0 -0x1.4b309d25957e3p-54
    0x1.516daa2cf6642p+0 -0x1.f768569bd93efp-55
    0x1.5342b569d4f82p+0 -0x1.07abe1db13cadp-55
    0x1.551a4ca5d920fp+0 -0x1.d689cefede59bp-55
    0x1.56f4736b527dap+0 0x1.9bb2c011d93adp-54
    0x1.58d12d497c7fdp+0 0x1.295e15b9a1de8p-55
    0x1.5ab07dd485429p+0 0x1.6324c054647adp-54
    0x1.5c9268a5946b7p+0 0x1.c4b1b816986a2p-60
    0x1.5e76f15ad2148p+0 0x1.ba6f93080e65ep-54
    0x1.605e1b976dc09p+0 -0x1.3e2429b56de47p-54
    0x1.6247eb03a5585p+0 -0x1.383c17e40b497p-54
    0x1.6434634ccc320p+0 -0x1.c483c759d8933p-55
    0x1.6623882552225p+0 -0x1.bb60987591c34p-54
    0x1.68155d44ca973p+0 0x1.038ae44f73e65p-57
    0x1.6a09e667f3bcdp+0 -0x1.bdd3413b26456p-54
    0x1.6c012750bdabfp+0 -0x1.2895667ff0b0dp-56
    0x1.6dfb23c651a2fp+0 -0x1.bbe3a683c88abp-57
    0x1.6ff7df9519484p+0 -0x1.83c0f25860ef6p-55
    0x1.71f75e8ec5f74p+0 -0x1.16e4786887a99p-55
    0x1.73f9a48a58174p+0 -0x1.0a8d96c65d53cp-54
    0x1.75feb564267c9p+0 -0x1.0245957316dd3p-54
    0x1.780694fde5d3fp+0 0x1.866b80a02162dp-54
    0x1.7a11473eb0187p+0 -0x1.41577ee04992fp-55
    0x1.7c1ed0130c132p+0 0x1.f124cd1164dd6p-54
    0x1.7e2f336cf4e62p+0 0x1.05d02ba15797ep-56
    0x1.80427543e1a12p+0 -0x1.27c86626d972bp-54
    0x1.82589994cce13p+0 -0x1.d4c1dd41532d8p-54
    0x1.8471a4623c7adp+0 -0x1.8d684a341cdfbp-55
    0x1.868d99b4492edp+0 -0x1.fc6f89bd4f6bap-54
    0x1.88ac7d98a6699p+0 0x1.994c2f37cb53ap-54
    0x1.8ace5422aa0dbp+0 0x1.6e9f156864b27p-54
    0x1.8cf3216b5448cp+0 -0x1.0d55e32e9e3aap-56
    0x1.8f1ae99157736p+0 0x1.5cc13a2e3976cp-55
    0x1.9145b0b91ffc6p+0 -0x1.dd6792e582524p-54
    0x1.93737b0cdc5e5p+0 -0x1.75fc781b57ebcp-57
    0x1.95a44cbc8520fp+0 -0x1.64b7c96a5f039p-56
    0x1.97d829fde4e50p+0 -0x1.d185b7c1b85d1p-54
    0x1.9a0f170ca07bap+0 -0x1.173bd91cee632p-54
    0x1.9c49182a3f090p+0 0x1.c7c46b071f2bep-56
    0x1.9e86319e32323p+0 0x1.824ca78e64c6ep-56
    0x1.a0c667b5de565p+0 -0x1.359495d1cd533p-54
    0x1.a309bec4a2d33p+0 0x1.6305c7ddc36abp-54
    0x1.a5503b23e255dp+0 -0x1.d2f6edb8d41e1p-54
    0x1.a799e1330b358p+0 0x1.bcb7ecac563c7p-54
    0x1.a9e6b5579fdbfp+0 0x1.0fac90ef7fd31p-54
    0x1.ac36bbfd3f37ap+0 -0x1.f9234cae76cd0p-55
    0x1.ae89f995ad3adp+0 0x1.7a1cd345dcc81p-54
    0x1.b0e07298db666p+0 -0x1.bdef54c80e425p-54
    0x1.b33a2b84f15fbp+0 -0x1.2805e3084d708p-57
    0x1.b59728de5593ap+0 -0x1.c71dfbbba6de3p-54
    0x1.b7f76f2fb5e47p+0 -0x1.5584f7e54ac3bp-56
    0x1.ba5b030a1064ap+0 -0x1.efcd30e54292ep-54
    0x1.bcc1e904bc1d2p+0 0x1.23dd07a2d9e84p-55
    0x1.bf2c25bd71e09p+0 -0x1.efdca3f6b9c73p-54
    0x1.c199bdd85529cp+0 0x1.11065895048ddp-55
    0x1.c40ab5fffd07ap+0 0x1.b4537e083c60ap-54
    0x1.c67f12e57d14bp+0 0x1.2884dff483cadp-54
    0x1.c8f6d9406e7b5p+0 0x1.1acbc48805c44p-56
    0x1.cb720dcef9069p+0 0x1.503cbd1e949dbp-56
    0x1.cdf0b555dc3fap+0 -0x1.dd83b53829d72p-55
    0x1.d072d4a07897cp+0 -0x1.cbc3743797a9cp-54
    0x1.d2f87080d89f2p+0 -0x1.d487b719d8578p-54
    0x1.d5818dcfba487p+0 0x1.2ed02d75b3707p-55
    0x1.d80e316c98398p+0 -0x1.11ec18beddfe8p-54
    0x1.da9e603db3285p+0 0x1.c2300696db532p-54
    0x1.dd321f301b460p+0 0x1.2da5778f018c3p-54
    0x1.dfc97337b9b5fp+0 -0x1.1a5cd4f184b5cp-54
    0x1.e264614f5a129p+0 -0x1.7b627817a1496p-54
    0x1.e502ee78b3ff6p+0 0x1.39e8980a9cc8fp-55
    0x1.e7a51fbc74c83p+0 0x1.2d522ca0c8de2p-54
    0x1.ea4afa2a490dap+0 -0x1.e9c23179c2893p-54
    0x1.ecf482d8e67f1p+0 -0x1.c93f3b411ad8cp-54
    0x1.efa1bee615a27p+0 0x1.dc7f486a4b6b0p-54
    0x1.f252b376bba97p+0 0x1.3a1a5bf0d8e43p-54
    0x1.f50765b6e4540p+0 0x1.9d3e12dd8a18bp-54
    0x1.f7bfdad9cbe14p+0 -0x1.dbb12d006350ap-54
    0x1.fa7c1819e90d8p+0 0x1.74853f3a5931ep-55
    0x1.fd3c22b8f71f1p+0 0x1.2eb74966579e7p-57
"""

_SINE = """
    0x0.0p+0 0x0.0p+0
    0x1.921d1fcdec784p-7 0x1.9878ebe836d9dp-61
    0x1.92155f7a3667ep-6 -0x1.b1d63091a0130p-64
    0x1.2d865759455cdp-5 0x1.686f65ba93ac0p-61
    0x1.91f65f10dd814p-5 -0x1.912bd0d569a90p-61
    0x1.f656e79f820e0p-5 -0x1.2e1ebe392bffep-61
    0x1.2d52092ce19f6p-4 -0x1.9a088a8bf6b2cp-59
    0x1.5f6d00a9aa419p-4 -0x1.f4022d03f6c9ap-59
    0x1.917a6bc29b42cp-4 -0x1.e2718d26ed688p-60
    0x1.c3785c79ec2d5p-4 -0x1.4f39df133fb21p-61
    0x1.f564e56a9730ep-4 0x1.a2704729ae56dp-59
    0x1.139f0cedaf577p-3 -0x1.523434d1b3cfap-57
    0x1.2c8106e8e613ap-3 0x1.13000a89a11e0p-58
    0x1.45576b1293e5ap-3 -0x1.285a24119f7b1p-58
    0x1.5e214448b3fc6p-3 0x1.531ff779ddac6p-57
    0x1.76dd9de50bf31p-3 0x1.1d5eeec501b2fp-57
    0x1.8f8b83c69a60bp-3 -0x1.26d19b9ff8d82p-57
    0x1.a82a025b00451p-3 -0x1.87905ffd084adp-57
    0x1.c0b826a7e4f63p-3 -0x1.af1439e521935p-62
    0x1.d934fe5454311p-3 0x1.75b92277107adp-57
    0x1.f19f97b215f1bp-3 -0x1.42deef11da2c4p-57
    0x1.04fb80e37fdaep-2 -0x1.412cdb72583ccp-63
    0x1.111d262b1f677p-2 0x1.824c20ab7aa9ap-56
    0x1.1d3443f4cdb3ep-2 -0x1.720d41c13519ep-57
    0x1.294062ed59f06p-2 -0x1.5d28da2c4612dp-56
    0x1.35410c2e18152p-2 -0x1.3cb002f96e062p-56
    0x1.4135c94176601p-2 0x1.0c97c4afa2518p-56
    0x1.4d1e24278e76ap-2 0x1.2417218792858p-57
    0x1.58f9a75ab1fddp-2 -0x1.efdc0d58cf620p-62
    0x1.64c7ddd3f27c6p-2 0x1.10d2b4a664121p-58
    0x1.7088530fa459fp-2 -0x1.44b19e0864c5dp-56
    0x1.7c3a9311dcce7p-2 0x1.9a3f21ef3e8d9p-62
    0x1.87de2a6aea963p-2 -0x1.72cedd3d5a610p-57
    0x1.9372a63bc93d7p-2 0x1.684319e5ad5b1p-57
    0x1.9ef7943a8ed8ap-2 0x1.6da81290bdbabp-57
    0x1.aa6c82b6d3fcap-2 -0x1.d5f106ee5ccf7p-56
    0x1.b5d1009e15cc0p-2 0x1.5b362cb974183p-57
    0x1.c1249d8011ee7p-2 -0x1.813aabb515206p-56
    0x1.cc66e9931c45ep-2 0x1.6850e59c37f8fp-58
    0x1.d79775b86e389p-2 0x1.550ec87bc0575p-56
    0x1.e2b5d3806f63bp-2 0x1.e0d891d3c6841p-58
    0x1.edc1952ef78d6p-2 -0x1.dd0f7c33edee6p-56
    0x1.f8ba4dbf89abap-2 -0x1.2ec1fc1b776b8p-60
    0x1.01cfc874c3eb7p-1 -0x1.34a35e7c2368cp-56
    0x1.073879922ffeep-1 -0x1.a5a014347406cp-55
    0x1.0c9704d5d898fp-1 -0x1.8d3d7de6ee9b2p-55
    0x1.11eb3541b4b23p-1 -0x1.ef23b69abe4f1p-55
    0x1.1734d63dedb49p-1 -0x1.7eef2ccc50575p-55
    0x1.1c73b39ae68c8p-1 0x1.b25dd267f6600p-55
    0x1.21a799933eb59p-1 -0x1.3a7b177c68fb2p-55
    0x1.26d054cdd12dfp-1 -0x1.5da743ef3770cp-55
    0x1.2bedb25faf3eap-1 -0x1.14981c796ee46p-58
    0x1.30ff7fce17035p-1 -0x1.efcc626f74a6fp-57
    0x1.36058b10659f3p-1 -0x1.1fcb3a35857e7p-55
    0x1.3affa292050b9p-1 0x1.e3e25e3954964p-56
    0x1.3fed9534556d4p-1 0x1.36916608c5061p-55
    0x1.44cf325091dd6p-1 0x1.8076a2cfdc6b3p-57
    0x1.49a449b9b0939p-1 -0x1.27ee16d719b94p-55
    0x1.4e6cabbe3e5e9p-1 0x1.3c293edceb327p-57
    0x1.5328292a35596p-1 -0x1.a12eb89da0257p-56
    0x1.57d69348ceca0p-1 -0x1.75720992bfbb2p-55
    0x1.5c77bbe65018cp-1 0x1.069ea9c0bc32ap-55
    0x1.610b7551d2cdfp-1 -0x1.251b352ff2a37p-56
    0x1.6591925f0783dp-1 0x1.c3d64fbf5de23p-55
    0x1.6a09e667f3bcdp-1 -0x1.bdd3413b26456p-55
    0x1.6e74454eaa8afp-1 -0x1.dbc03c84e226ep-55
    0x1.72d0837efff96p-1 0x1.0d4ef0f1d915cp-55
    0x1.771e75f037261p-1 0x1.5cfce8d84068fp-56
    0x1.7b5df226aafafp-1 -0x1.0f537acdf0ad7p-56
    0x1.7f8ece3571771p-1 -0x1.9c8d8ce93c917p-55
    0x1.83b0e0bff976ep-1 -0x1.6f420f8ea3475p-56
    0x1.87c400fba2ebfp-1 -0x1.2dabc0c3f64cdp-55
    0x1.8bc806b151741p-1 -0x1.2c5e12ed1336dp-55
    0x1.8fbcca3ef940dp-1 -0x1.6dfa99c86f2f1p-57
    0x1.93a22499263fbp-1 0x1.3d419a920df0bp-55
    0x1.9777ef4c7d742p-1 -0x1.15479a240665ep-55
    0x1.9b3e047f38741p-1 -0x1.30ee286712474p-55
    0x1.9ef43ef29af94p-1 0x1.b1dfcb60445c2p-56
    0x1.a29a7a0462782p-1 -0x1.128bb015df175p-56
    0x1.a63091b02fae2p-1 -0x1.e911152248d10p-56
    0x1.a9b66290ea1a3p-1 0x1.9f630e8b6dac8p-60
    0x1.ad2bc9e21d511p-1 -0x1.47fbe07bea548p-55
    0x1.b090a58150200p-1 -0x1.926da300ffccep-55
    0x1.b3e4d3ef55712p-1 -0x1.eb6b8bf11a493p-55
    0x1.b728345196e3ep-1 -0x1.bc69f324e6d61p-55
    0x1.ba5aa673590d2p-1 0x1.7ea4e370753b6p-55
    0x1.bd7c0ac6f952ap-1 -0x1.825a732ac700ap-55
    0x1.c08c426725549p-1 0x1.b157fd80e2946p-58
    0x1.c38b2f180bdb1p-1 -0x1.6e0b1757c8d07p-56
    0x1.c678b3488739bp-1 0x1.d86cac7c5ff5bp-57
    0x1.c954b213411f5p-1 -0x1.2fb761e946603p-58
    0x1.cc1f0f3fcfc5cp-1 0x1.e57613b68f6abp-56
    0x1.ced7af43cc773p-1 -0x1.e7b6bb5ab58aep-58
    0x1.d17e7743e35dcp-1 -0x1.101da3540130ap-58
    0x1.d4134d14dc93ap-1 -0x1.4ef5295d25af2p-55
    0x1.d696173c9e68bp-1 -0x1.e8c61c6393d55p-56
    0x1.d906bcf328d46p-1 0x1.457e610231ac2p-56
    0x1.db6526238a09bp-1 -0x1.adee7eae69460p-56
    0x1.ddb13b6ccc23cp-1 0x1.83c37c6107db3p-55
    0x1.dfeae622dbe2bp-1 -0x1.514ea88425567p-55
    0x1.e212104f686e5p-1 -0x1.014c76c126527p-55
    0x1.e426a4b2bc17ep-1 0x1.a873889744882p-55
    0x1.e6288ec48e112p-1 -0x1.16b56f2847754p-57
    0x1.e817bab4cd10dp-1 -0x1.d0afe686b5e0ap-56
    0x1.e9f4156c62ddap-1 0x1.760b1e2e3f81ep-55
    0x1.ebbd8c8df0b74p-1 0x1.c6c8c615e7277p-56
    0x1.ed740e7684963p-1 0x1.e82c791f59cc2p-56
    0x1.ef178a3e473c2p-1 0x1.6310a67fe774fp-55
    0x1.f0a7efb9230d7p-1 0x1.52c7adc6b4989p-56
    0x1.f2252f7763adap-1 -0x1.20cb81c8d94abp-55
    0x1.f38f3ac64e589p-1 -0x1.d7bafb51f72e6p-56
    0x1.f4e603b0b2f2dp-1 -0x1.8ee01e695ac05p-56
    0x1.f6297cff75cb0p-1 0x1.562172a361fd3p-56
    0x1.f7599a3a12077p-1 0x1.84f31d743195cp-55
    0x1.f8764fa714ba9p-1 0x1.ab256778ffcb6p-56
    0x1.f97f924c9099bp-1 -0x1.e2ae0eea5963bp-55
    0x1.fa7557f08a517p-1 -0x1.7a0a8ca13571fp-55
    0x1.fb5797195d741p-1 0x1.1bfac7397cc08p-56
    0x1.fc26470e19fd3p-1 0x1.1ec8668ecaceep-55
    0x1.fce15fd6da67bp-1 -0x1.5dd6f830d4c09p-56
    0x1.fd88da3d12526p-1 -0x1.87df6378811c7p-55
    0x1.fe1cafcbd5b09p-1 0x1.a23e3202a884ep-57
    0x1.fe9cdad01883ap-1 0x1.521ecd0c67e35p-57
    0x1.ff095658e71adp-1 0x1.01a8ce18a4b9ep-55
    0x1.ff621e3796d7ep-1 -0x1.c57bc2e24aa15p-57
    0x1.ffa72effef75dp-1 -0x1.8b4cdcdb25956p-55
    0x1.ffd886084cd0dp-1 -0x1.1354d4556e4cbp-55
    0x1.fff62169b92dbp-1 0x1.5dda3c81fbd0dp-55
    0x1.0000000000000p+0 0x0.0p+0
"""

_INVERSE_TWO_PI = """
    0000000000000000
    28be60db9391054a
    7f09d5f47d4d3770
    36d8a5664f10e410
    7f9458eaf7aef158
    6dc91b8e909374b8
    01924bba82746487
    3f877ac72c4a69cf
    ba208d7d4baed121
    3a671c09ad17df90
    4e64758e60d4ce7d
    272117e2ef7e4a0e
    c7fe25fff7816603
    fbcbc462d6829b47
    db4d9fb3c9f2c26d
    d3d18fd9a797fa8b
    5d49eeb1faf97c5e
    cf41ce7de294a4ba
    9afed7ec47e35742
    1580cc11bf1edaea
    fc33ef0826bd0d87
"""


def _pairs(text: str) -> np.ndarray:
    """A table of (hi, lo) rows from hexadecimal floats."""
    return np.array([float.fromhex(word) for word in text.split()]).reshape(-1, 2)


def _full_turn(quarter: np.ndarray) -> np.ndarray:
    """sin(2 pi j/512) for j = 0..639 from j = 0..128: a turn for sin, and a quarter more for cos by j + 128."""
    half = np.concatenate([quarter, quarter[-2:0:-1]])
    turn = np.concatenate([half, 0.0 - half])
    return np.ascontiguousarray(np.concatenate([turn, turn[:128]]))


EXP2_TABLE = _pairs(_EXP2)
"""2^(j/128), j = 0..127, as rows (hi, lo) with relative error at most 2^-106."""

SINE_TABLE = _full_turn(_pairs(_SINE))
"""sin(2 pi j/512), j = 0..639, as rows (hi, lo) with relative error at most 2^-106; the zeros are exactly 0."""

INVERSE_TWO_PI = np.array([int(word, 16) for word in _INVERSE_TWO_PI.split()], dtype=np.uint64)
"""64 zero bits, then the first 1280 fraction bits of 1/(2 pi), truncated; most significant word first."""
