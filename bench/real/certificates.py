"""Certificates for the hosts of the bench, one for each, signed by an authority of its own."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

KEY = "key.pem"  # of all hosts
_VALID = timedelta(days=30)


def make_certificates(hosts: tuple[str, ...], folder: Path) -> Path:
    """Writes HOST.pem for each host; returns the authority's, which SSL_CERT_FILE must name."""
    folder.mkdir(parents=True, exist_ok=True)
    key, authority = (
        ec.generate_private_key(ec.SECP256R1()),
        ec.generate_private_key(ec.SECP256R1()),
    )
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / KEY).write_bytes(pem)
    path = folder / "authority.pem"
    path.write_bytes(_signed("bench authority", authority, authority, is_authority=True))
    for host in hosts:
        (folder / f"{host}.pem").write_bytes(_signed(host, key, authority))
    return path


def _signed(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    authority: ec.EllipticCurvePrivateKey,
    *,
    is_authority: bool = False,
) -> bytes:
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(name[:64]))
        .issuer_name(_name("bench authority"))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _VALID)
        .not_valid_after(now + _VALID)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
    )
    if not is_authority:
        names = x509.SubjectAlternativeName([x509.DNSName(name)])
        builder = builder.add_extension(names, critical=False)
    return builder.sign(authority, SHA256()).public_bytes(Encoding.PEM)


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])
