import { describe, expect, it } from 'vitest'
import { createCheckedSim } from '#test/github/checked-sim.ts'
import { NOON_MS } from '#test/github/hand-clock.ts'
import { appJwt, newAppKeys } from './app-keys.ts'

const NOW = NOON_MS / 1_000
const GOOD = { iat: NOW - 60, exp: NOW + 600 }

const ISSUED_AT = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
const EXPIRATION =
  "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
const TOO_FAR = "'Expiration time' claim ('exp') is too far in the future"
const UNDECODABLE = 'A JSON web token could not be decoded'

describe('the token that an App signs', () => {
  it.each([
    ['ten minutes of life', GOOD],
    ['a clock that is a minute ahead', { iat: NOW + 60, exp: NOW + 600 }],
  ])('is accepted with %s', async (_, times) => {
    const { sim, call } = createCheckedSim()
    const byId = appJwt(sim.keys.privateKeyPem, { ...times, iss: sim.app.id })
    const byName = appJwt(sim.keys.privateKeyPem, { ...times, iss: sim.app.clientId })
    expect((await call('GET', '/app', { token: byId })).body).toMatchObject({ slug: 'signalbox' })
    expect((await call('GET', '/app', { token: byName })).status).toBe(200)
  })

  it.each([
    ['was issued too far ahead', { ...GOOD, iat: NOW + 61 }, ISSUED_AT],
    ['has no time of issue', { exp: NOW + 60 }, ISSUED_AT],
    ['has a fraction as time of issue', { ...GOOD, iat: NOW - 0.5 }, ISSUED_AT],
    ['has expired', { ...GOOD, exp: NOW }, EXPIRATION],
    ['never expires', { iat: NOW }, EXPIRATION],
    ['lives longer than ten minutes', { ...GOOD, exp: NOW + 601 }, TOO_FAR],
    ['is of another App', { ...GOOD, iss: 7 }, 'Integration not found'],
    ['is of nobody', { ...GOOD, iss: null }, "'Issuer' claim ('iss') must be an Integer"],
  ])('is refused with 401 when it %s', async (_, claims, message) => {
    const { sim, call } = createCheckedSim()
    const token = appJwt(sim.keys.privateKeyPem, { iss: sim.app.id, ...claims })
    const answer = await call('GET', '/app', { token })
    expect(answer).toMatchObject({ status: 401, body: { message } })
  })

  it('is refused when another key signed it, or nothing that can be read', async () => {
    const { sim, call } = createCheckedSim()
    const forged = appJwt(newAppKeys().privateKeyPem, { ...GOOD, iss: sim.app.id })
    for (const token of [forged, 'a.b.c', forged.replace(/\.[^.]*$/, '.'), `${forged}.x`]) {
      expect(await call('GET', '/app', { token })).toMatchObject({ status: 401, body: { message: UNDECODABLE } })
    }
  })

  it('opens only what is the App’s own, and no other token opens that', async () => {
    const { asApp, asInstallation } = createCheckedSim()
    expect((await asApp('GET', '/orgs/acme/actions/runners')).status).toBe(401)
    expect(await asInstallation('GET', '/app')).toMatchObject({ status: 401, body: { message: UNDECODABLE } })
  })
})
