import { describe, expect, it } from 'vitest'
import { isBehind, isFixUnreleased, isOfComponent } from './release.ts'

const COMPONENT = 'ghcr.io/actions/actions-runner'
const release = (changes: object = {}) => ({ component: COMPONENT, declared: '2.336.0', ...changes })

describe('a running image compared with the declared one', () => {
  it.each([
    ['an older one', `${COMPONENT}:2.335.1`, true],
    ['an older minor of two digits', `${COMPONENT}:2.99.0`, true],
    ['the same', `${COMPONENT}:2.336.0`, false],
    ['the same with a v', `${COMPONENT}:v2.336.0`, false],
    ['the same with a digest', `${COMPONENT}:2.336.0@sha256:${'a'.repeat(64)}`, false],
    ['a rebuild of the same', `${COMPONENT}:2.336.0-7`, false],
    ['a newer one', `${COMPONENT}:2.336.1`, false],
    ['latest', `${COMPONENT}:latest`, false],
    ['no tag', COMPONENT, false],
    ['a digest alone', `${COMPONENT}@sha256:${'a'.repeat(64)}`, false],
    ['a canary', `${COMPONENT}:canary-2ee6b3b`, false],
  ])('%s', (_, image, behind) => {
    expect(isBehind(image, release())).toBe(behind)
  })

  it('is not behind if the fleet file says that it contains the fix', () => {
    const digest = `sha256:${'b'.repeat(64)}`
    expect(isBehind(`${COMPONENT}:2.330.0`, release({ contains: ['2.330.0'] }))).toBe(false)
    expect(isBehind(`${COMPONENT}:2.330.0@${digest}`, release({ contains: [digest] }))).toBe(false)
    expect(isBehind(`${COMPONENT}:2.330.0`, release({ contains: ['2.331.0'] }))).toBe(true)
  })

  it('is not behind if nothing is declared', () => {
    expect(isBehind(`${COMPONENT}:1.0.0`, { component: COMPONENT })).toBe(false)
  })
})

describe('a declared release compared with the fix', () => {
  it.each([
    ['older', '2.336.0', { fixedIn: '2.337.1' }, true],
    ['the same', '2.337.1', { fixedIn: '2.337.1' }, false],
    ['newer', '2.338.0', { fixedIn: '2.337.1' }, false],
    ['declared to contain it', 'canary-2ee6b3b', { fixedIn: '0.15.0', contains: ['canary-2ee6b3b'] }, false],
    ['not comparable', 'canary-2ee6b3b', { fixedIn: '0.15.0' }, false],
    ['older, but declared to contain it', '0.14.2', { fixedIn: '0.15.0', contains: ['0.14.2'] }, false],
  ])('%s', (_, declared, given, unreleased) => {
    expect(isFixUnreleased(release({ declared, ...given }))).toBe(unreleased)
  })

  it('is not unreleased if one of them is not given', () => {
    expect(isFixUnreleased({ component: COMPONENT, fixedIn: '9.9.9' })).toBe(false)
    expect(isFixUnreleased(release())).toBe(false)
  })
})

describe('a component', () => {
  it.each([
    ['ghcr.io/actions/actions-runner', 'ghcr.io/actions/actions-runner', true],
    ['docker.io/library/docker', 'docker', true],
    ['docker.io/acme/runner', 'index.docker.io/acme/runner', true],
    ['registry.example.com/actions/actions-runner', 'ghcr.io/actions/actions-runner', false],
    ['ghcr.io/actions/actions-runner-nix', 'ghcr.io/actions/actions-runner', false],
  ])('%s is %s: %s', (repository, component, isSame) => {
    expect(isOfComponent(repository, { component })).toBe(isSame)
  })
})
