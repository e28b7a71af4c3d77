import { execFileSync } from 'node:child_process'
import { chmod, chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ask } from '#test/postgres/ask.ts'
import { copyCheckout } from '#test/postgres/checkout-copy.ts'
import { openFolder, privateFolder } from '#test/postgres/folders.ts'
import { hasRootFor } from '#test/postgres/has-root-for.ts'
import { startedServer, startOwner } from '#test/postgres/owner-process.ts'
import type { OwnerProcess } from '#test/postgres/owner-process.ts'
import { expectRefusal } from '#test/postgres/expect-refusal.ts'

const isRoot = hasRootFor('the embedded PostgreSQL of root and of an ordinary user in folders that others cannot enter')

/** The user whom every Unix has, in the part of an ordinary one. */
function ordinaryUser(): { readonly uid: number; readonly gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function systemFolders() {
  const parent = await openFolder()
  return { systemFolders: { data: join(parent, 'lib'), binaries: join(parent, 'cache') } }
}

async function interrupt(owner: OwnerProcess): Promise<void> {
  process.kill(owner.pid, 'SIGINT')
  await owner.exited
}

describe.skipIf(!isRoot)('the embedded PostgreSQL of different users', { timeout: 180_000 }, () => {
  /** A checkout as `mktemp -d && git clone` makes it: everything inside may be read, but only its owner gets in. */
  let home: string
  let copy: { readonly checkout: string; readonly node: string }

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'signalbox-test-home-'))
    copy = await copyCheckout(home)
  })
  beforeEach(async () => {
    await chown(home, 0, 0)
    await chmod(home, 0o700)
    await rm(join(home, '.signalbox'), { recursive: true, force: true })
  })
  afterAll(async () => await rm(home, { recursive: true, force: true }))

  it("runs for root from a checkout that PostgreSQL's user cannot enter, and finds its data again", async () => {
    const request = { ...copy, ...(await systemFolders()), dataFolder: join(home, '.signalbox') }
    const { data, binaries } = request.systemFolders
    const first = startOwner(request)
    const server = await startedServer(first)
    expect(first.notices).toEqual([
      expect.stringContaining(`who cannot enter ${request.dataFolder}: its data is kept in ${data}/`),
      expect.stringContaining(`from a copy in ${binaries}/`),
    ])
    expect(server.location.startsWith(data)).toBe(true)
    await ask(server.connectionString, 'create table kept (value integer)')
    await interrupt(first)

    const again = await startedServer(startOwner(request))
    expect(again.location).toBe(server.location)
    expect(await ask(again.connectionString, 'select value from kept')).toEqual([])
    expect(await readdir(data)).toHaveLength(1)
    expect(await readdir(binaries)).toHaveLength(1)
  })

  it('does not start empty when the folder elsewhere is gone, unless asked to', async () => {
    const request = { ...(await systemFolders()), dataFolder: join(await privateFolder(), '.signalbox') }
    const first = startOwner(request)
    const server = await startedServer(first)
    await interrupt(first)
    await rm(join(server.location, '..'), { recursive: true })
    expect(expectRefusal(await startOwner(request).outcome).why).toContain('is gone')
    await rm(join(request.dataFolder, 'postgres.location'))
    await startedServer(startOwner(request))
  })

  it('runs for an ordinary user as himself, in his own checkout', async () => {
    const user = ordinaryUser()
    await chown(home, user.uid, user.gid)
    const owner = startOwner({ ...copy, user, dataFolder: join(home, '.signalbox') })
    const server = await startedServer(owner)
    expect(owner.notices).toEqual([])
    expect(server.location).toBe(join(home, '.signalbox', 'postgres'))
    expect(await stat(join(home, '.signalbox'))).toMatchObject({ uid: user.uid, mode: 0o40700 })
    expect(await ask(server.connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it("stays an ordinary user's when root starts it once in between", async () => {
    const user = ordinaryUser()
    await chown(home, user.uid, user.gid)
    for (const change of [{ user }, {}, { user }]) {
      const owner = startOwner({ ...copy, ...change, dataFolder: join(home, '.signalbox') })
      const { location } = await startedServer(owner)
      expect(await stat(join(location, 'data'))).toMatchObject(user)
      await interrupt(owner)
    }
  })

  it("leaves an ordinary user's database running when root or he himself starts a copy of its folder", async () => {
    const user = ordinaryUser()
    await chown(home, user.uid, user.gid)
    const dataFolder = join(home, '.signalbox')
    const original = await startedServer(startOwner({ ...copy, user, dataFolder }))
    await ask(original.connectionString, 'create table kept (value integer)', 'checkpoint')
    for (const change of [{ user }, {}]) {
      const other = `${dataFolder}-copy`
      execFileSync('cp', ['-a', dataFolder, other])
      const owner = startOwner({ ...copy, ...change, dataFolder: other })
      const { connectionString } = await startedServer(owner)
      expect(await ask(connectionString, 'select value from kept')).toEqual([])
      expect(await ask(original.connectionString, 'select value from kept')).toEqual([])
      await interrupt(owner)
      await rm(other, { recursive: true })
    }
  })

  it('refuses a copy of a folder that only names its data, and leaves the database of the original running', async () => {
    const parent = await privateFolder()
    const [original, copied] = [join(parent, 'a'), join(parent, 'b')]
    const folders = await systemFolders()
    const owner = startOwner({ ...folders, dataFolder: original })
    const server = await startedServer(owner)
    await ask(server.connectionString, 'create table kept (value integer)')
    execFileSync('cp', ['-a', original, copied])
    const refused = expectRefusal(await startOwner({ ...folders, dataFolder: copied }).outcome)
    expect(refused.why).toContain(`is a copy of ${original}`)
    expect(refused.next).toContain('signalbox store backup')
    expect(await ask(server.connectionString, 'select value from kept')).toEqual([])
    expect(process.kill(server.pid, 0)).toBe(true)
    await interrupt(owner)
    expect(expectRefusal(await startOwner({ ...folders, dataFolder: copied }).outcome).why).toContain('is a copy')
    await rm(original, { recursive: true })
    const moved = await startedServer(startOwner({ ...folders, dataFolder: copied }))
    expect(await ask(moved.connectionString, 'select value from kept')).toEqual([])
  })

  it('refuses the data of another user', async () => {
    await chmod(home, 0o755)
    const dataFolder = join(home, '.signalbox')
    const root = startOwner({ dataFolder })
    const { location } = await startedServer(root)
    await interrupt(root)
    execFileSync('chmod', ['-R', 'a+rwX', dataFolder])
    const { uid } = await stat(join(location, 'data'))
    const refused = await startOwner({ ...copy, dataFolder, user: ordinaryUser() }).outcome
    expect(expectRefusal(refused).why).toContain(`id ${uid}`)
  })
})
