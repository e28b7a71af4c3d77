export type Flag = Switch | Option

export type Switch = {
  readonly kind: 'switch'
  readonly short?: string
  readonly summary: string
  /** On by default: help shows it as `--no-…`. */
  readonly default?: true
  readonly excludes?: readonly string[]
  /** The setting and the value it gets. */
  readonly sets?: { readonly path: string; readonly value: string }
}

export type Option = {
  readonly kind: 'option'
  readonly short?: string
  /** The placeholder of the value in help: upper case. */
  readonly value: string
  readonly summary: string
  readonly choices?: readonly string[]
  readonly default?: string
  readonly repeatable?: true
  readonly completes?: 'file' | 'folder'
  readonly sets?: { readonly path: string }
}

/** Flags by their long name, without the dashes. */
export type FlagSet = Readonly<Record<string, Flag>>

export type FlagValue<F extends Flag> = F extends Switch
  ? boolean
  : F extends { readonly repeatable: true }
    ? readonly string[]
    : F extends { readonly choices: readonly (infer C)[]; readonly default: string }
      ? C
      : F extends { readonly default: string }
        ? string
        : string | undefined

export type FlagValues<F extends FlagSet> = { readonly [K in keyof F]: FlagValue<F[K]> }
