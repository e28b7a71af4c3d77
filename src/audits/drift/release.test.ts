import { describe, expect, it } from 'vitest'
import { compareWithDeclared, compareWithFix, isOfComponent } from './release.ts'

const COMPONENT = 'ghcr.io/actions/actions-runner'
const release = (changes: object = {}) => ({ component: COMPONENT, declared: '2.336.0', ...changes })

const DIGEST = `sha256:${'a'.repeat(64)}`

describe('a running image compared with the declared one', () => {
  it.each([
    ['an older one', `${COMPONENT}:2.335.1`, 'older'],
    ['the same with a v', `${COMPONENT}:v2.336.0`, 'not-older'],
    ['the same with a digest', `${COMPONENT}:2.336.0@${DIGEST}`, 'not-older'],
    ['a rebuild of the same', `${COMPONENT}:2.336.0-7`, 'not-older'],
    ['a newer one', `${COMPONENT}:2.336.1`, 'not-older'],
    ['latest', `${COMPONENT}:latest`, 'unknown'],
    ['no tag', COMPONENT, 'unknown'],
    ['a digest alone', `${COMPONENT}@${DIGEST}`, 'unknown'],
    ['a canary', `${COMPONENT}:canary-2ee6b3b`, 'unknown'],
  ])('%s', (_, image, order) => {
    expect(compareWithDeclared(image, release())).toBe(order)
  })

  it('is the declared digest, or cannot be ordered', () => {
    const declared = { declared: DIGEST }
    expect(compareWithDeclared(`${COMPONENT}@${DIGEST}`, release(declared))).toBe('not-older')
    expect(compareWithDeclared(`${COMPONENT}:2.330.0@sha256:${'b'.repeat(64)}`, release(declared))).toBe('unknown')
    expect(compareWithDeclared(`${COMPONENT}@${DIGEST}`, release({ declared: `2.336.0@${DIGEST}` }))).toBe('not-older')
  })

  it('is not behind if the fleet file says that it contains the fix', () => {
    const digest = `sha256:${'b'.repeat(64)}`
    expect(compareWithDeclared(`${COMPONENT}:2.330.0`, release({ contains: ['2.330.0'] }))).toBe('not-older')
    expect(compareWithDeclared(`${COMPONENT}:2.330.0@${digest}`, release({ contains: [digest] }))).toBe('not-older')
    expect(compareWithDeclared(`${COMPONENT}:2.330.0`, release({ contains: ['2.331.0'] }))).toBe('older')
  })

  it('is not behind if nothing is declared', () => {
    expect(compareWithDeclared(`${COMPONENT}:1.0.0`, { component: COMPONENT })).toBe('not-older')
  })
})

describe('a declared release compared with the fix', () => {
  it.each([
    ['older', '2.336.0', { fixedIn: '2.337.1' }, 'older'],
    ['the same', '2.337.1', { fixedIn: '2.337.1' }, 'not-older'],
    ['newer', '2.338.0', { fixedIn: '2.337.1' }, 'not-older'],
    ['declared to contain it', 'canary-2ee6b3b', { fixedIn: '0.15.0', contains: ['canary-2ee6b3b'] }, 'not-older'],
    ['not comparable', 'canary-2ee6b3b', { fixedIn: '0.15.0' }, 'unknown'],
    ['older, but declared to contain it', '0.14.2', { fixedIn: '0.15.0', contains: ['0.14.2'] }, 'not-older'],
    ['of a fix without a release', '0.14.2', { fixedIn: 'unreleased' }, 'older'],
    ['a build with a fix without a release', 'own-1', { fixedIn: 'unreleased', contains: ['own-1'] }, 'not-older'],
  ])('%s', (_, declared, given, order) => {
    expect(compareWithFix(release({ declared, ...given }))).toBe(order)
  })

  it('is not older if one of them is not given', () => {
    expect(compareWithFix({ component: COMPONENT, fixedIn: '9.9.9' })).toBe('not-older')
    expect(compareWithFix(release())).toBe('not-older')
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
