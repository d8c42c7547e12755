"""TLS of the browser's proxy: a key and certificate of this process, which Chromium is made to
trust by the key's digest.
"""

from __future__ import annotations

import base64
import hashlib
import ssl
from datetime import UTC, datetime, timedelta
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from blogcrawl.storage.temporary import scratch_folder

_ALPN = ["http/1.1"]
"""HTTP/1.1 on both sides, so that the evidence has requests and answers as bytes."""


@cache
def _pair() -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    """Return one key pair for all hosts and browsers of this process; it never leaves it, and is
    trusted by no one else.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "blogcrawl")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=2))
        .not_valid_after(now + timedelta(days=90))
        .sign(key, hashes.SHA256())
    )
    return key, certificate


@cache
def server_context() -> ssl.SSLContext:
    """For the browser's connections. The key is in a file only while OpenSSL reads it (Python's
    ``ssl`` takes no other).
    """
    key, certificate = _pair()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(_ALPN)
    with scratch_folder("tls") as folder:
        path = folder / "key.pem"
        pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        path.write_bytes(pem + certificate.public_bytes(Encoding.PEM))
        context.load_cert_chain(path)
    return context


@cache
def client_context(*, verified: bool) -> ssl.SSLContext:
    """For connections to servers. Certificates are verified only where a login is sent (settings.py
    says why).
    """
    context = ssl.create_default_context()
    context.set_alpn_protocols(_ALPN)
    if not verified:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_ciphers("DEFAULT:@SECLEVEL=1")  # servers of old blogs
        context.options |= getattr(ssl, "OP_LEGACY_SERVER_CONNECT", 4)  # a name of Python 3.12
    return context


def key_digest() -> str:
    """For Chromium's ``--ignore-certificate-errors-spki-list``: SHA-256 of the public key, in
    base64.
    """
    public = _pair()[1].public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(public).digest()).decode()
