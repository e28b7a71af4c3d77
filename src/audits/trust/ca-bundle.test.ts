import { describe, expect, it } from 'vitest'
import type { Fields } from '#/core/basics/fields.ts'
import type { FindSecret } from '#/core/fleet/runner-env.ts'
import { isImageStore, whyUnreadable } from './ca-bundle.ts'

const findSecret: FindSecret = (_, name) =>
  name === 'ca' ? { metadata: { name }, data: { 'ca.crt': 'eA==', 'tls.key': 'eA==' } } : null

function judge(path: string, volume: Fields, mount: Fields, find = findSecret): string | null {
  const spec = { volumes: [{ name: 'v', ...volume }] }
  return whyUnreadable(path, spec, { volumeMounts: [{ name: 'v', ...mount }] }, { namespace: 'ns', findSecret: find })
}

const at = (mountPath: string, more: Fields = {}): Fields => ({ mountPath, ...more })

describe('a CA bundle', () => {
  it.each([
    ['of the image’s own store', '/etc/ssl/certs/ca-certificates.crt'],
    ['of Fedora', '/etc/pki/tls/certs/ca-bundle.crt'],
    ['of Nix', '/nix/var/nix/profiles/default/etc/ssl/certs/ca-bundle.crt'],
    ['of a Nix profile', '/home/runner/.nix-profile/etc/ssl/certs/ca-bundle.crt'],
    ['where Debian wants them', '/usr/local/share/ca-certificates/ca.crt'],
  ])('%s may exist without a volume', (_, path) => {
    expect(isImageStore(path)).toBe(true)
    expect(judge(path, { emptyDir: {} }, at('/elsewhere'))).toBeNull()
  })

  it.each([
    ['a path that no volume brings', '/opt/ca/bundle.pem', { emptyDir: {} }, at('/opt/c')],
    ['a path beside the mount', '/opt/cab/bundle.pem', { emptyDir: {} }, at('/opt/ca')],
    ['a path that is not absolute', 'ca.pem', { emptyDir: {} }, at('/')],
    [
      'a file that the items leave out',
      '/ca/x.crt',
      { configMap: { name: 'c', items: [{ key: 'k', path: 'ca.crt' }] } },
      at('/ca'),
    ],
    ['a key that the Secret has not', '/ca/other.crt', { secret: { secretName: 'ca' } }, at('/ca')],
    [
      'an optional Secret that is not there',
      '/ca/ca.crt',
      { secret: { secretName: 'gone', optional: true } },
      at('/ca'),
    ],
    [
      'another key behind the subPath',
      '/ca.crt',
      { secret: { secretName: 'ca' } },
      at('/ca.crt', { subPath: 'ca.pem' }),
    ],
  ])('cannot be read: %s', (_, path, volume, mount) => {
    expect(judge(path, volume, mount)).not.toBeNull()
  })

  it.each([
    ['a key of a Secret', '/ca/ca.crt', { secret: { secretName: 'ca' } }, at('/ca')],
    ['a mount with a slash behind it', '/ca/ca.crt', { secret: { secretName: 'ca' } }, at('/ca/')],
    [
      'an item of a Secret',
      '/ca/all.pem',
      { secret: { secretName: 'ca', items: [{ key: 'ca.crt', path: 'all.pem' }] } },
      at('/ca'),
    ],
    ['a subPath', '/x/y.crt', { secret: { secretName: 'ca' } }, at('/x/y.crt', { subPath: 'ca.crt' })],
    [
      'a path that is put together at the start',
      '/x/y.crt',
      { secret: { secretName: 'ca' } },
      at('/x', { subPathExpr: '$(A)' }),
    ],
    ['a ConfigMap, which nobody reads', '/ca/any.crt', { configMap: { name: 'c' } }, at('/ca')],
    ['a volume that something fills', '/ca/any.crt', { emptyDir: {} }, at('/ca')],
    // No pod starts without it, which other audits report.
    ['a Secret without which nothing starts', '/ca/ca.crt', { secret: { secretName: 'gone' } }, at('/ca')],
  ])('may exist: %s', (_, path, volume, mount) => {
    expect(judge(path, volume, mount)).toBeNull()
  })

  it('in a Secret may exist if Secrets could not be read', () => {
    expect(
      judge('/ca/other.crt', { secret: { secretName: 'ca', optional: true } }, at('/ca'), () => undefined),
    ).toBeNull()
  })

  it('is searched in the deepest mount', () => {
    const spec = {
      volumes: [
        { name: 'work', emptyDir: {} },
        { name: 'ca', secret: { secretName: 'ca' } },
      ],
    }
    const volumeMounts = [at('/opt', { name: 'work' }), at('/opt/ca', { name: 'ca' })]
    const place = { namespace: 'ns', findSecret }
    expect(whyUnreadable('/opt/ca/x', spec, { volumeMounts }, place)).toContain('has no key x')
    expect(whyUnreadable('/opt/x', spec, { volumeMounts }, place)).toBeNull()
  })
})
