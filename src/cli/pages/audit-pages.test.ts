import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { AUDITS } from '#/audits/index.ts'
import type { ClassExample, ClassOfAudit } from './audit-pages.ts'
import { auditIndex, auditPage, classPage } from './audit-pages.ts'
import type { Audit } from '#/core/audit/audit.ts'
import { AUDIT_IDS } from '#/core/audit/audit.ts'
import { auditFolder } from '#test/fleets/audit-fleet.ts'
import { KNOWN_FLEETS } from '#test/fleets/known-fleets.ts'

const root = path.resolve(import.meta.dirname, '..', '..', '..')
const auditsFolder = path.join(root, 'docs', 'audits')
const classesFolder = path.join(root, 'docs', 'findings')

/** Recordings before what was written, and always the same one. */
async function findExample(audit: Audit, name: string): Promise<ClassExample | null> {
  for (const { path: at, expected } of KNOWN_FLEETS) {
    const expectedFinding = expected.find(
      (one) => one.audit === audit.id && one.mustReport?.some((wanted) => wanted.class === name) === true,
    )
    if (expectedFinding === undefined) continue
    const report = await auditFolder(
      at,
      audit,
      expectedFinding.runner === undefined ? {} : { runner: expectedFinding.runner },
    )
    const finding = report.findings.find((one) => one.class === name)
    if (finding !== undefined)
      return { path: path.relative(root, at).split(path.sep).join('/'), why: expectedFinding.why, finding }
  }
  return null
}

const CLASSES = [...new Set(AUDITS.flatMap(({ classes }) => classes.map((one) => one.class)))]

async function listUses(name: string): Promise<readonly ClassOfAudit[]> {
  const uses: ClassOfAudit[] = []
  for (const audit of AUDITS) {
    const one = audit.classes.find((known) => known.class === name)
    if (one !== undefined) uses.push({ audit, class: one, example: await findExample(audit, name) })
  }
  return uses
}

describe('docs/audits', () => {
  it('has every audit of docs/contracts/findings.md, in its order', () => {
    expect(AUDITS.map(({ id }) => id)).toEqual(AUDIT_IDS)
  })

  it.each(AUDITS.map((audit) => [audit.id, audit] as const))('%s matches its source', async (id, audit) => {
    await expect(auditPage(audit)).toMatchFileSnapshot(path.join(auditsFolder, `${id}.md`))
  })

  it('has an index that matches the audits', async () => {
    await expect(auditIndex(AUDITS)).toMatchFileSnapshot(path.join(auditsFolder, 'README.md'))
  })

  it('has no page of a removed audit', () => {
    const pages = new Set(['README.md', ...AUDITS.map(({ id }) => `${id}.md`)])
    expect(readdirSync(auditsFolder).filter((name) => !pages.has(name))).toEqual([])
  })
})

describe('docs/findings', () => {
  it.each(CLASSES)('%s matches its audits and fleets', async (name) => {
    await expect(classPage(name, await listUses(name))).toMatchFileSnapshot(path.join(classesFolder, `${name}.md`))
  })

  it('has no page of a removed class', () => {
    const pages = new Set(CLASSES.map((name) => `${name}.md`))
    expect(readdirSync(classesFolder).filter((name) => !pages.has(name))).toEqual([])
  })
})

describe('docs/troubleshooting.md', () => {
  const text = readFileSync(path.join(root, 'docs', 'troubleshooting.md'), 'utf8')

  it('names only classes and pages that exist', () => {
    const links = [...text.matchAll(/\]\((?<to>[^)#]+\.md)/g)].map((match) => match.groups?.['to'] ?? '')
    expect(links.filter((to) => !existsSync(path.join(root, 'docs', to)))).toEqual([])
    const ids = [...text.matchAll(/`(?<word>[a-z]+(?:-[a-z]+)+)`/g)].map((match) => match.groups?.['word'] ?? '')
    const known = new Set([
      ...CLASSES,
      ...AUDITS.map(({ id }): string => id),
      'oom-step',
      'oom-container',
      'ephemeral-storage',
      'workspace-unclean',
    ])
    expect([...new Set(ids)].filter((word) => !known.has(word))).toEqual([])
  })
})
