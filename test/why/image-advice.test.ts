import { expect, it } from 'vitest'
import { CAUSES } from '#/causes/index.ts'
import { openDossier } from '#/core/why/dossier.ts'
import { judge } from '#/core/why/verdict.ts'
import { makeContainer, makeEvidence, makePod } from '#test/why/evidence.ts'

it.each([
  ['lookup registry.invalid on 10.0.0.53:53: no such host', 'cannot reach the registry'],
  ['dial tcp 10.0.0.7:443: i/o timeout', 'cannot reach the registry'],
  ['tls: failed to verify certificate: x509: signed by unknown authority', 'does not trust the registry certificate'],
  ['unexpected status from HEAD request: 401 Unauthorized', 'refuses the credential'],
  ['registry.example.com/ci/runner:9: not found', 'does not have this image or tag'],
  ['toomanyrequests: You have reached your pull rate limit', 'limits the pull rate'],
  ['something else', 'Pull the image by hand'],
])('an image that could not be pulled with "%s" is advised on: %s', (message, advice) => {
  const state = { kind: 'waiting', reason: 'ErrImagePull', message } as const
  const pod = makePod({ phase: 'Pending', containers: [makeContainer({ state })] })
  expect(judge(openDossier(makeEvidence({ pod })), CAUSES).verdict.next[0]).toContain(advice)
})
