import type { AnyOperation } from '@watchline/contracts/operation'

/** The operations of one path, by method. */
export type Methods = ReadonlyMap<string, AnyOperation>

interface Branch {
  fixed: Map<string, Branch>
  parameter: Branch | undefined
  methods: Map<string, AnyOperation>
}

const branch = (): Branch => ({ fixed: new Map(), parameter: undefined, methods: new Map() })

/**
 * Finds the operations that a path under /api stands for, fixed segments before parameters. By it the gateway knows unknown
 * paths, wrong methods and operations that nobody serves yet without asking a service.
 */
export function createCatalogue(operations: readonly AnyOperation[]): (path: string) => Methods | undefined {
  const root = branch()
  for (const operation of operations) {
    let at = root
    for (const segment of operation.path.slice(1).split('/')) {
      if (segment.startsWith('{')) {
        at.parameter ??= branch()
        at = at.parameter
      } else {
        const next = at.fixed.get(segment) ?? branch()
        at.fixed.set(segment, next)
        at = next
      }
    }
    at.methods.set(operation.method, operation)
    if (operation.method === 'GET') at.methods.set('HEAD', operation)
  }

  function walk(at: Branch, segments: readonly string[], depth: number): Methods | undefined {
    const segment = segments[depth]
    if (segment === undefined) return at.methods.size > 0 ? at.methods : undefined
    const fixed = at.fixed.get(segment)
    return (
      (fixed && walk(fixed, segments, depth + 1)) ??
      (at.parameter && segment !== '' ? walk(at.parameter, segments, depth + 1) : undefined)
    )
  }

  return path => (path.startsWith('/api/') ? walk(root, path.slice('/api/'.length).split('/'), 0) : undefined)
}
