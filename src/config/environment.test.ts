import { describe, expect, it } from 'vitest'
import { OTHER_VARIABLES, fromEnvironment } from '#/config/environment.ts'
import { settings } from '#/config/setting.ts'

const values = (variables: Record<string, string>): unknown =>
  Object.fromEntries(fromEnvironment(variables).entries.map(({ path, value }) => [path, value]))

describe('fromEnvironment', () => {
  it('reads each kind of setting', () => {
    const variables = {
      SIGNALBOX_DATA: 'x',
      SIGNALBOX_GITHUB_APP_ID: '17',
      SIGNALBOX_KUBERNETES_NAMESPACES: 'a, b,c',
      SIGNALBOX_GITHUB_APP_PRIVATE_KEY_FILE: 'key.pem',
      UNRELATED: '1',
    }
    expect(values(variables)).toEqual({
      data: 'x',
      'github.app.id': 17,
      'kubernetes.namespaces': ['a', 'b', 'c'],
      'github.app.privateKeyFile': 'key.pem',
    })
  })

  it('keeps a secret of digits as text', () => {
    expect(values({ SIGNALBOX_GITHUB_TOKEN: '123456' })).toEqual({ 'github.token': '123456' })
  })

  it('reads variables that other programs share, ours first', () => {
    expect(values({ DATABASE_URL: 'a' })).toEqual({ databaseUrl: 'a' })
    expect(values({ DATABASE_URL: 'a', SIGNALBOX_DATABASE_URL: 'b' })).toEqual({ databaseUrl: 'b' })
    expect(values({ https_proxy: 'lower', HTTPS_PROXY: 'upper' })).toEqual({ 'proxy.https': 'upper' })
    expect(values({ https_proxy: 'lower', no_proxy: 'a,b' })).toEqual({
      'proxy.https': 'lower',
      'proxy.exceptions': ['a', 'b'],
    })
    expect(values({ KUBECONFIG: 'k' })).toEqual({ 'kubernetes.kubeconfig': 'k' })
  })

  it('treats an empty variable as not set', () => {
    expect(values({ SIGNALBOX_DATA: '', HTTPS_PROXY: '', https_proxy: 'x' })).toEqual({ 'proxy.https': 'x' })
  })

  it('refuses unknown variables with our prefix', () => {
    expect(fromEnvironment({ SIGNALBOX_GITHUB_TOKN: 'ghp_secret' }).problems).toEqual([
      {
        where: 'SIGNALBOX_GITHUB_TOKN',
        message: 'no such setting',
        meant: ['SIGNALBOX_GITHUB_TOKEN', 'SIGNALBOX_GITLAB_TOKEN'],
      },
    ])
  })

  it('accepts the other documented variables', () => {
    expect(fromEnvironment(Object.fromEntries(OTHER_VARIABLES.map((name) => [name, '1']))).problems).toEqual([])
  })

  it.each([
    'SIGNALBOX_SERVICE_HOST',
    'SIGNALBOX_SERVICE_PORT',
    'SIGNALBOX_SERVICE_PORT_HTTP',
    'SIGNALBOX_PORT',
    'SIGNALBOX_PORT_8080_TCP',
    'SIGNALBOX_PORT_8080_TCP_PROTO',
    'SIGNALBOX_PORT_8080_TCP_PORT',
    'SIGNALBOX_PORT_8080_TCP_ADDR',
    'SIGNALBOX_AGENT_SERVICE_HOST',
    'SIGNALBOX_AGENT_PORT_53_UDP_ADDR',
  ])('ignores %s, which Kubernetes sets for a Service', (name) => {
    expect(fromEnvironment({ [name]: 'tcp://10.0.0.1:8080' })).toEqual({ entries: [], problems: [] })
  })

  it('has no setting that a Service could set', () => {
    const taken = settings.filter(({ variable }) => /_SERVICE_(HOST|PORT)|_PORT(_|$)/.test(variable))
    expect(taken).toEqual([])
  })

  it('has one variable for each setting', () => {
    expect(new Set(settings.map(({ variable }) => variable)).size).toBe(settings.length)
  })
})
