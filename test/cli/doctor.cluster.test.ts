import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { repository, runSignalbox } from '#test/cli/run-signalbox.ts'
import { installScaleSet } from '#test/cli/scale-set.ts'
import { describeWithApiServer } from '#test/cluster/suites.ts'

const validate = new Ajv2020().compile(
  JSON.parse(readFileSync(join(repository, 'schemas/doctor.schema.json'), 'utf8')) as object,
)

type Check = { readonly status: string; readonly detail: string; readonly fix?: string }

/** Nothing listens there, so the check fails without starting anything. */
const NO_DATABASE = ['--database-url', 'postgres://nobody:hunter2@127.0.0.1:1/x']

async function doctor(args: readonly string[]) {
  const { code, stdout, stderr } = await runSignalbox(['doctor', '-o', 'json', ...args])
  const document = JSON.parse(stdout) as { checks: readonly (Check & { readonly id: string })[] }
  validate(document)
  expect(validate.errors).toBeNull()
  expect(stdout + stderr).not.toContain('hunter2')
  return { code, checks: Object.fromEntries(document.checks.map(({ id, ...check }): [string, Check] => [id, check])) }
}

describeWithApiServer(
  'signalbox doctor on a real API server',
  (cluster) => {
    it('finds all rights with the credential of an administrator, and no ARC', async () => {
      const { code, checks } = await doctor([...NO_DATABASE, '-A', '--kubeconfig', cluster().kubeconfig])
      expect(checks['kubernetes']).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^v1\.\d+/) as string })
      expect(checks['kubernetes-rights']).toMatchObject({ status: 'ok' })
      expect(checks['arc']).toMatchObject({ status: 'warn', detail: 'not installed in this cluster' })
      expect(code).toBe(1)
    })

    it('names the rights that a user lacks, and how to grant them', async () => {
      const kubeconfig = await cluster().kubeconfigFor('powerless')
      const { code, checks } = await doctor([...NO_DATABASE, '-n', 'ci', '--kubeconfig', kubeconfig])
      expect(checks['kubernetes-rights']).toMatchObject({
        status: 'fail',
        detail: expect.stringContaining('cannot list pods in ci') as string,
        fix: expect.stringContaining('list on pods') as string,
      })
      expect(code).toBe(1)
    })

    it('counts scale sets and prints their version', async () => {
      await installScaleSet(cluster())
      const { checks } = await doctor([...NO_DATABASE, '--kubeconfig', cluster().kubeconfig, '-n', 'default'])
      expect(checks['arc']).toMatchObject({ status: 'ok', detail: '1 scale set of version 0.14.2' })
      const elsewhere = await doctor([...NO_DATABASE, '--kubeconfig', cluster().kubeconfig, '-n', 'kube-system'])
      expect(elsewhere.checks['arc']).toMatchObject({
        status: 'warn',
        detail: expect.stringContaining('no scale set') as string,
      })
    })
  },
  { audit: 'off', users: [{ name: 'powerless', groups: [] }] },
)
