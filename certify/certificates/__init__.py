"""Writers of certificates: claims with hints, in the form that docs/certificates.md fixes.

`certify.checker` shares no code with them.
"""
