/** What a rule of the file covers. */
export type RuleMatch =
  | { readonly kind: 'exact'; readonly command: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'family'; readonly tokens: readonly string[] }
  | {
      readonly kind: 'network'
      readonly host: string
      readonly transport?: 'tcp' | 'udp' | undefined
      readonly port?: number | undefined
    }
  | { readonly kind: 'network_broad'; readonly command: string; readonly target: string }
  | { readonly kind: 'path'; readonly access: FileAccess; readonly path: string }
  | { readonly kind: 'tree'; readonly access: FileAccess; readonly root: string }
  | { readonly kind: 'host'; readonly access: FileAccess; readonly command: string }

/** What is done to a file. */
export type FileAccess = 'read' | 'write'

/** A rule of the file, checked. */
export interface PermissionRule {
  readonly effect: 'allow' | 'deny'
  readonly match: RuleMatch
}
