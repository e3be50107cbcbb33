import type { AnyOperation } from '@watchline/contracts/operation'

/** The operations of one path, by method. */
export type OperationsByMethod = ReadonlyMap<string, AnyOperation>

interface PathNode {
  fixed: Map<string, PathNode>
  parameter: PathNode | undefined
  operations: Map<string, AnyOperation>
}

const createNode = (): PathNode => ({ fixed: new Map(), parameter: undefined, operations: new Map() })

/**
 * Finds the operations of a path under /api; fixed segments win over parameters. With it the
 * gateway refuses unknown paths and wrong methods without asking a service.
 */
export function createOperationIndex(
  operations: readonly AnyOperation[],
): (path: string) => OperationsByMethod | undefined {
  const root = createNode()
  for (const operation of operations) {
    let node = root
    for (const segment of operation.path.slice(1).split('/')) {
      if (segment.startsWith('{')) {
        node.parameter ??= createNode()
        node = node.parameter
      } else {
        const next = node.fixed.get(segment) ?? createNode()
        node.fixed.set(segment, next)
        node = next
      }
    }
    node.operations.set(operation.method, operation)
    if (operation.method === 'GET') node.operations.set('HEAD', operation)
  }

  function find(node: PathNode, segments: readonly string[], depth: number): OperationsByMethod | undefined {
    const segment = segments[depth]
    if (segment === undefined) return node.operations.size > 0 ? node.operations : undefined
    const fixed = node.fixed.get(segment)
    return (
      (fixed && find(fixed, segments, depth + 1)) ??
      (node.parameter && segment !== '' ? find(node.parameter, segments, depth + 1) : undefined)
    )
  }

  return path => (path.startsWith('/api/') ? find(root, path.slice('/api/'.length).split('/'), 0) : undefined)
}
