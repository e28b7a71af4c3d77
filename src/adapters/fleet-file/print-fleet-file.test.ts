import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { draftFleetFile } from '#/core/fleet/draft/draft-fleet-file.ts'
import type { FleetDraft } from '#/core/fleet/draft/draft-fleet-file.ts'
import { buildFleet } from '#test/fleets/build-fleet.ts'
import { draws } from '#test/tiers/long-run.ts'
import { checkFleet } from './check-fleet.ts'
import { printFleetFile } from './print-fleet-file.ts'

describe('printFleetFile', () => {
  it('writes each note as a comment above its key', () => {
    const draft: FleetDraft = {
      file: {
        controllerNamespace: 'arc-systems',
        nodePools: [{ name: 'base', selector: { pool: 'base' }, role: 'baseline' }],
        owners: [{ name: 'acme', namespaces: ['a', 'b'] }],
      },
      notes: [
        { path: [], text: 'at the head' },
        { path: ['nodePools', 0], text: 'of the pool' },
        { path: ['owners'], text: 'of all owners' },
        { path: ['lanes', 4], text: 'of nothing' },
      ],
    }
    expect(printFleetFile(draft, 'a bundle').split('\n').slice(0, 19)).toEqual([
      '# A draft by signalbox fleet init, from a bundle.',
      '# It describes the current state. Correct it to the intended one, check the comments, and run: signalbox fleet check FILE',
      '# at the head',
      '',
      'apiVersion: signalbox.dev/v1alpha1',
      'kind: Fleet',
      'metadata: { name: fleet }',
      'spec:',
      '  controllerNamespace: arc-systems',
      '  nodePools:',
      '    # of the pool',
      '    - name: base',
      '      selector: { pool: base }',
      '      role: baseline',
      '  # of all owners',
      '  owners:',
      '    - name: acme',
      '      namespaces: [ a, b ]',
      '',
    ])
  })

  it('prints a file that passes the check and reads back as the draft, with any names', () => {
    const name = fc.oneof(
      fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/),
      fc.constantFrom(
        'on',
        '1.20',
        '~',
        '- a',
        'a: b',
        '#x',
        '"',
        "'",
        'a\nb: c',
        'a\rb: c',
        '\u2028',
        '*a',
        '&a',
        '!!x',
        '{',
        '% x',
      ),
    )
    const set = fc.record({
      name,
      namespace: name,
      label: name,
      max: fc.option(fc.nat({ max: 50 })),
      pool: name,
      taint: name,
    })
    fc.assert(
      fc.property(fc.array(set, { maxLength: 6 }), (sets) => {
        const draft = draftFleetFile(
          buildFleet({
            autoscalingrunnersets: sets.map((one) => ({
              metadata: { name: one.name, namespace: one.namespace },
              spec: {
                githubConfigUrl: `https://github.com/${one.label}`,
                runnerScaleSetName: one.label,
                ...(one.max === null ? {} : { maxRunners: one.max }),
                template: { spec: { nodeSelector: { pool: one.pool }, imagePullSecrets: [{ name: one.name }] } },
              },
            })),
            nodes: sets.map((one, index) => ({
              metadata: { name: `n${index}`, labels: { pool: one.pool } },
              spec: { taints: [{ key: one.taint, effect: 'NoSchedule' }] },
            })),
          }),
        )
        const text = printFleetFile(draft, 'a\nb: c\rd: e')
        const { spec, ...others } = parse(text) as Readonly<Record<string, unknown>>
        expect(spec).toEqual(JSON.parse(JSON.stringify(draft.file)))
        expect(Object.keys(others)).toEqual(['apiVersion', 'kind', 'metadata'])
        const isPlain = sets.every((one) =>
          [one.name, one.namespace, one.label, one.pool].every((text) => /^[a-z]/.test(text)),
        )
        const areSame = new Set(sets.map((one) => `${one.namespace}/${one.name}`)).size === sets.length
        if (isPlain && areSame) expect(checkFleet(text)).toMatchObject({ kind: 'right' })
      }),
      { numRuns: draws(200) },
    )
  })
})
