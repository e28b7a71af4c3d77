import type { Signature } from '#/core/evidence/signature.ts'

export const certificateNotTrusted: Signature = {
  id: 'certificate-not-trusted',
  says: 'A certificate was not trusted inside the build.',
  patterns: [
    {
      streams: ['job-log', 'runner-log'],
      regex:
        /UNABLE_TO_GET_ISSUER_CERT_LOCALLY|unable to get local issuer certificate|SELF_SIGNED_CERT_IN_CHAIN|x509: certificate signed by unknown authority|PartialChain|UntrustedRoot/,
      literals: [
        'x509: certificate signed by unknown authority',
        'unable to get local issuer certificate',
        'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
        'SELF_SIGNED_CERT_IN_CHAIN',
        'UntrustedRoot',
        'PartialChain',
      ],
      strength: 'decisive',
      examples: {
        matches: ['npm ERR! code UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
        rejects: ['Error: spawn ps ENFILE'],
      },
    },
  ],
}
