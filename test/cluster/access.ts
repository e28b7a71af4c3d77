import { join } from 'node:path'
import type { ApiAccess, ApiAnswer, ApiRequest } from './api-client.ts'
import { callApi } from './api-client.ts'
import { runOrThrow } from './command.ts'
import { writeKubeconfig } from './credentials.ts'

/** All that another process needs to use the control plane; none of it changes while the cluster runs. */
export interface AccessFacts {
  readonly url: string
  readonly port: number
  readonly adminToken: string
  /** PEM. */
  readonly certificateAuthority: string
  readonly certificateAuthorityFile: string
  /** The admin's kubeconfig, a file. */
  readonly kubeconfig: string
  readonly folder: string
  /** JSON lines; absent with `audit: 'off'`. */
  readonly auditLog: string
  readonly serviceAccountKey: string
  readonly tokens: Readonly<Record<string, string>>
  /** The program. */
  readonly kubectlPath: string
}

export interface Access extends AccessFacts {
  readonly findToken: (user: string) => string
  /** Writes a kubeconfig for one of the users and returns its path. */
  readonly kubeconfigFor: (user: string) => Promise<string>
  /** As the admin; an answer of any status is an answer. */
  readonly call: (request: ApiRequest) => Promise<ApiAnswer>
  /** As the admin; throws for a status of 300 or more, returns the parsed body. */
  readonly callOk: (request: ApiRequest) => Promise<unknown>
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>
}

export function toAccessFacts(controlPlane: Access): AccessFacts {
  const { url, port, adminToken, certificateAuthority, certificateAuthorityFile, kubeconfig } = controlPlane
  const { folder, auditLog, serviceAccountKey, tokens, kubectlPath } = controlPlane
  const credentials = { adminToken, certificateAuthority, certificateAuthorityFile, kubeconfig, tokens }
  return { url, port, folder, auditLog, serviceAccountKey, kubectlPath, ...credentials }
}

export function reachControlPlane(facts: AccessFacts): Access {
  const { url, folder, kubeconfig, adminToken, certificateAuthority } = facts
  const access: ApiAccess = { url, token: adminToken, certificateAuthority }
  const findToken = (user: string): string => {
    const token = facts.tokens[user]
    if (token === undefined) throw new Error(`the cluster was started without a user ${user}`)
    return token
  }
  return {
    ...facts,
    findToken,
    kubeconfigFor: (user) => {
      const path = join(folder, `kubeconfig-${encodeURIComponent(user)}`)
      return writeKubeconfig(path, { ...access, token: findToken(user) }, user)
    },
    call: (request) => callApi(access, request),
    callOk: async (request) => {
      const answer = await callApi(access, request)
      if (answer.status < 300) return JSON.parse(answer.text) as unknown
      throw new Error(`${request.method ?? 'GET'} ${request.path} got ${answer.status}: ${answer.text}`)
    },
    kubectl: (args, input) => {
      const own = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${join(folder, 'kubectl')}`]
      return runOrThrow(facts.kubectlPath, [...own, ...args], input === undefined ? {} : { input })
    },
  }
}
