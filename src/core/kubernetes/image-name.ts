/** An image reference, split like containerd's distribution library does. */
export type ImageName = {
  /** `docker.io` if none is named. */
  readonly registry: string
  /** Without registry, tag and digest; with `library/` for official Docker images. */
  readonly path: string
  readonly tag: string | null
  readonly digest: string | null
}

export function parseImage(reference: string): ImageName {
  const [named, digest] = split(reference.trim(), '@')
  const slash = named.lastIndexOf('/')
  const colon = named.lastIndexOf(':')
  const [name, tag] = colon > slash ? [named.slice(0, colon), named.slice(colon + 1)] : [named, '']
  return { ...splitRegistry(name), tag: tag === '' ? null : tag, digest: digest ?? null }
}

function splitRegistry(name: string): Pick<ImageName, 'registry' | 'path'> {
  const [first = '', ...rest] = name.split('/')
  const isHost = rest.length > 0 && (first.includes('.') || first.includes(':') || first === 'localhost')
  const path = isHost ? rest.join('/') : name
  if (isHost && first !== 'docker.io' && first !== 'index.docker.io') return { registry: first, path }
  return { registry: 'docker.io', path: path.includes('/') ? path : `library/${path}` }
}

/** Registry and path: the same for all versions of an image. */
export function imageRepository(reference: string): string {
  const { registry, path } = parseImage(reference)
  return `${registry}/${path}`
}

export function imageTag(reference: string): string | null {
  return parseImage(reference).tag
}

function split(text: string, by: string): readonly [string, string | undefined] {
  const index = text.indexOf(by)
  return index === -1 ? [text, undefined] : [text.slice(0, index), text.slice(index + by.length)]
}
