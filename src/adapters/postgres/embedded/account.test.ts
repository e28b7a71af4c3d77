import { describe, expect, it } from 'vitest'
import { expectRefusal } from '#test/postgres/expect-refusal.ts'
import { chooseAccount } from './account.ts'
import type { OtherAccount } from './account.ts'

const postgres: OtherAccount = { kind: 'other', name: 'postgres', uid: 101, gid: 104 }
const nobody: OtherAccount = { kind: 'other', name: 'nobody', uid: 65_534, gid: 65_534 }
const known = [postgres, nobody]
const dataFolder = '/data'

describe('the account that runs PostgreSQL', () => {
  it('is the user himself when he is not root', () => {
    expect(chooseAccount({ ownUid: 1000, dataOwner: null, known: [], dataFolder })).toEqual({ kind: 'self' })
    const own = { uid: 1000, gid: 1000 }
    expect(chooseAccount({ ownUid: 1000, dataOwner: own, known: [], dataFolder })).toEqual({ kind: 'self' })
  })

  it('is nobody at all for data that belongs to another user', () => {
    const choice = chooseAccount({ ownUid: 1000, dataOwner: { uid: 101, gid: 104 }, known: [], dataFolder })
    expect(expectRefusal(choice).why).toContain('id 101')
  })

  it('is the first unprivileged user for root', () => {
    expect(chooseAccount({ ownUid: 0, dataOwner: null, known, dataFolder })).toEqual(postgres)
    expect(chooseAccount({ ownUid: 0, dataOwner: null, known: [nobody], dataFolder })).toEqual(nobody)
  })

  it('is the owner of data that is there already, when root starts it', () => {
    expect(chooseAccount({ ownUid: 0, dataOwner: { uid: 1000, gid: 1000 }, known, dataFolder })).toEqual({
      kind: 'other',
      name: 'id 1000',
      uid: 1000,
      gid: 1000,
    })
    expect(chooseAccount({ ownUid: 0, dataOwner: { uid: 65_534, gid: 65_534 }, known, dataFolder })).toEqual(nobody)
  })

  it('is missing for root on a machine without unprivileged users', () => {
    expect(chooseAccount({ ownUid: 0, dataOwner: null, known: [], dataFolder })).toMatchObject({ kind: 'refused' })
  })
})
