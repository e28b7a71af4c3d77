import { describe, expect, it } from 'vitest'
import { readProbeLog } from './read-probe-log.ts'

const log = (...lines: readonly string[]): string =>
  lines.map((line) => `2026-06-01T12:00:00.1Z signalbox-probe ${line}\n`).join('')

describe('the log of a probe', () => {
  it('is read line by line, among other output', () => {
    const text = `2026-06-01T12:00:00Z welcome to the image\n${log(
      'variable ATTIC_SERVER set',
      'variable ATTIC_CACHE unset',
      'target ATTIC_SERVER attic.nix-cache.svc 8080 refused',
      'bundle SSL_CERT_FILE not-pem /etc/a path/with spaces.pem',
      'done',
    )}`
    expect(readProbeLog(text)).toEqual({
      variables: [
        { name: 'ATTIC_SERVER', isSet: true },
        { name: 'ATTIC_CACHE', isSet: false },
      ],
      targets: [{ from: 'ATTIC_SERVER', host: 'attic.nix-cache.svc', port: 8080, result: 'refused' }],
      bundles: [{ variable: 'SSL_CERT_FILE', path: '/etc/a path/with spaces.pem', result: 'not-pem' }],
    })
  })

  it.each([
    ['that breaks off', log('variable A set')],
    ['of another program', '2026-06-01T12:00:00Z exec /bin/sh: no such file or directory\n'],
    ['that is empty', ''],
    ['in which something follows the end', log('done', 'variable A set')],
  ])('%s is no answer', (_, text) => {
    expect(readProbeLog(text)).toBeNull()
  })

  it('ignores unknown lines', () => {
    const text = log(
      'target A b x refused',
      'target A b 1 broken',
      'bundle A fine /x',
      'variable A maybe',
      'hello',
      'done',
    )
    expect(readProbeLog(text)).toEqual({ variables: [], targets: [], bundles: [] })
  })
})
