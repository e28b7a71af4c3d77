import { describe, expect, it } from 'vitest'
import type { KubeObject } from '#/ports/kubernetes-object.ts'
import { wantedSecrets } from './wanted-secrets.ts'
import type { SecretNamers } from './wanted-secrets.ts'

const one = (namespace: string, name: string, changes: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: { name, namespace, uid: name, resourceVersion: '1' },
  ...changes,
})
const pulling = (...names: readonly string[]) => ({ imagePullSecrets: names.map((name) => ({ name })) })
const NOBODY: SecretNamers = { sets: [], listeners: [], deployments: [], serviceAccounts: [], declared: {} }
const wanted = (namers: Partial<SecretNamers>) => {
  const { namespaces, named } = wantedSecrets({ ...NOBODY, ...namers })
  return { namespaces, named: named.map(({ namespace, name }) => `${namespace}/${name}`) }
}

describe('the Secrets that matter', () => {
  it('are none where nothing names one', () => {
    expect(wanted({})).toEqual({ namespaces: [], named: [] })
    expect(wanted({ deployments: [one('shop', 'web', { spec: { template: { spec: pulling('x') } } })] })).toEqual({
      namespaces: [],
      named: [],
    })
  })

  it('are those of a scale set, of its pods and of their service account', () => {
    const template = { spec: { serviceAccountName: 'ci', ...pulling('ghcr') } }
    const sets = [one('runners', 'linux', { spec: { githubConfigSecret: 'app', template } })]
    const serviceAccounts = [
      one('runners', 'ci', pulling('quay')),
      one('runners', 'default', pulling('no')),
      one('elsewhere', 'ci', pulling('no')),
    ]
    expect(wanted({ sets, serviceAccounts })).toEqual({
      namespaces: ['runners'],
      named: ['runners/app', 'runners/ghcr', 'runners/quay'],
    })
  })

  it('are those that the containers of its pods are given', () => {
    const runner = {
      env: [
        { name: 'A', valueFrom: { secretKeyRef: { name: 'variable', key: 'k' } } },
        { name: 'B', value: 'plain' },
      ],
      envFrom: [{ secretRef: { name: 'variables' } }, { configMapRef: { name: 'no' } }],
    }
    const volumes = [
      { secret: { secretName: 'volume' } },
      { projected: { sources: [{ secret: { name: 'projected' } }] } },
    ]
    const init = { env: [{ name: 'C', valueFrom: { secretKeyRef: { name: 'init', key: 'k' } } }] }
    const template = { spec: { initContainers: [init], containers: [runner], volumes } }
    expect(wanted({ sets: [one('runners', 'linux', { spec: { template } })] }).named).toEqual(
      ['init', 'variable', 'variables', 'volume', 'projected'].map((name) => `runners/${name}`),
    )
  })

  it("are those of the controller's account, and those that it gives to its listeners", () => {
    const manager = {
      name: 'manager',
      image: 'ghcr.io/actions/gha-runner-scale-set-controller:0.14.2',
      args: ['--auto-scaler-image-pull-secrets=ghcr,quay'],
    }
    const spec = { template: { spec: { containers: [manager], serviceAccountName: 'arc' } } }
    const serviceAccounts = [one('systems', 'arc', pulling('account'))]
    expect(wanted({ deployments: [one('systems', 'arc', { spec })], serviceAccounts }).named).toEqual(
      ['account', 'ghcr', 'quay'].map((name) => `systems/${name}`),
    )
  })

  it('are not what a vault calls so, nor what cannot be a name', () => {
    const spec = { githubConfigSecret: 'kv-entry', vaultConfig: { type: 'azure_key_vault' } }
    const odd = { githubConfigSecret: 'a,type=x' }
    const sets = [one('runners', 'vault', { spec }), one('runners', 'odd', { spec: odd })]
    expect(wanted({ sets })).toEqual({ namespaces: ['runners'], named: [] })
  })

  it('are those of the listeners and the controller, in their namespace', () => {
    const manager = { name: 'manager', image: 'ghcr.io/actions/gha-runner-scale-set-controller:0.14.2' }
    const spec = { template: { spec: { containers: [manager], ...pulling('ghcr') } } }
    const listeners = [one('systems', 'l', { spec: pulling('ghcr') })]
    expect(wanted({ listeners, deployments: [one('systems', 'arc', { spec })] })).toEqual({
      namespaces: ['systems'],
      named: ['systems/ghcr'],
    })
  })

  it('are those that the fleet file names', () => {
    const declared = {
      controllerNamespace: 'systems',
      runnerNamespaces: ['runners'],
      pullSecrets: [{ name: 'ghcr', authoritative: { namespace: 'source' }, copies: [{ namespace: 'systems' }] }],
      cache: { secret: { namespace: 'cache', name: 'creds' } },
      gitlab: { tokenSecret: { namespace: 'gitlab', name: 'token' } },
    }
    expect(wanted({ declared })).toEqual({
      namespaces: ['runners', 'source', 'systems'],
      named: ['source/ghcr', 'systems/ghcr', 'cache/creds', 'gitlab/token'],
    })
  })

  it('survive objects of any shape', () => {
    const odd = [one('ns', 'x', { spec: 7 }), one('ns', 'y', { spec: { template: [], imagePullSecrets: [null, 7] } })]
    expect(wanted({ sets: odd, listeners: odd, deployments: odd, serviceAccounts: odd })).toMatchObject({ named: [] })
  })
})
