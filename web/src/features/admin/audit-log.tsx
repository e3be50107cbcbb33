import { SkeletonRows } from '../../ui/states.tsx'

export function AuditLog() {
  return <SkeletonRows />
}
