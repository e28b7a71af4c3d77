import { describe, expect, it } from 'vitest'
import { imageRepository, parseImage } from './image-name.ts'

describe('the name of an image', () => {
  it.each([
    ['busybox', 'docker.io', 'library/busybox', null, null],
    ['busybox:1.36', 'docker.io', 'library/busybox', '1.36', null],
    ['index.docker.io/library/busybox', 'docker.io', 'library/busybox', null, null],
    ['acme/app:1', 'docker.io', 'acme/app', '1', null],
    ['ghcr.io/actions/actions-runner:2.336.0', 'ghcr.io', 'actions/actions-runner', '2.336.0', null],
    ['localhost:5000/app', 'localhost:5000', 'app', null, null],
    ['localhost/app:x', 'localhost', 'app', 'x', null],
    ['registry.example.com:443/a/b:c@sha256:abc', 'registry.example.com:443', 'a/b', 'c', 'sha256:abc'],
    ['app@sha256:abc', 'docker.io', 'library/app', null, 'sha256:abc'],
    ['', 'docker.io', 'library/', null, null],
  ])('%s is read as containerd reads it', (reference, ...parts) => {
    const { registry, path, tag, digest } = parseImage(reference)
    expect([registry, path, tag, digest]).toEqual(parts)
  })

  it('has a repository that the tag does not change', () => {
    expect(imageRepository('nginx:1')).toBe(imageRepository('docker.io/library/nginx@sha256:1'))
  })
})
