import type { Signature } from '#/core/evidence/signature.ts'

export const certificateNotTrusted: Signature = {
  id: 'certificate-not-trusted',
  says: 'A certificate was not trusted inside the build.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex:
        /UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT|CERT_HAS_EXPIRED|unable to get (?:local )?issuer certificate|unable to verify the first certificate|self[- ]signed certificate|PartialChain|UntrustedRoot|SEC_E_UNTRUSTED_ROOT|RemoteCertificate(?:ChainErrors|NameMismatch|NotAvailable)|remote certificate (?:is invalid|was rejected)/i,
      literals: [
        'UNABLE_TO_GET_ISSUER_CERT',
        'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
        'SELF_SIGNED_CERT',
        'CERT_HAS_EXPIRED',
        'issuer certificate',
        'verify the first certificate',
        'signed certificate',
        'PartialChain',
        'UntrustedRoot',
        'SEC_E_UNTRUSTED_ROOT',
        'RemoteCertificate',
        'remote certificate ',
      ],
      strength: 'strong',
      examples: {
        matches: [
          'npm ERR! code UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
          'npm error code DEPTH_ZERO_SELF_SIGNED_CERT',
          'SSL certificate problem: self-signed certificate in certificate chain',
          'Error: unable to verify the first certificate',
          'The remote certificate is invalid because of errors in the certificate chain: UntrustedRoot',
        ],
        rejects: ['Error: spawn ps ENFILE'],
      },
    },
    {
      streams: ['job-log', 'runner-log'],
      regex:
        /x509: .{0,200}?certificate (?:signed by unknown authority|has expired|is (?:not trusted|valid for|not valid))|certificate verif(?:y|ication) failed|CERTIFICATE_VERIFY_FAILED|PKIX path (?:building|validation) failed|valid certification path to requested target|trustAnchors parameter must be non-empty|invalid peer certificate|The certificate is NOT trusted|cannot verify \S{1,253}'s certificate|SSL certificate problem|tls: failed to verify certificate/i,
      literals: [
        'x509: ',
        'certificate verif',
        'CERTIFICATE_VERIFY_FAILED',
        'PKIX path ',
        'valid certification path to requested target',
        'trustAnchors parameter must be non-empty',
        'invalid peer certificate',
        'The certificate is NOT trusted',
        'cannot verify ',
        'SSL certificate problem',
        'tls: failed to verify certificate',
      ],
      strength: 'strong',
      examples: {
        matches: [
          'x509: certificate signed by unknown authority',
          'Get "https://reg.lan/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error")',
          '[ERROR] PKIX path building failed: sun.security.provider.certpath.SunCertPathBuilderException: unable to find valid certification path to requested target',
          'fatal: unable to access: server certificate verification failed. CAfile: none CRLfile: none',
          'ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate (_ssl.c:1000)',
          'error: invalid peer certificate: UnknownIssuer',
        ],
        rejects: ['x509: 3 certificates loaded from /etc/ssl/certs'],
      },
    },
  ],
}
