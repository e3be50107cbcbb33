import { SkeletonRows } from '../../ui/states.tsx'

export function ManagersTab() {
  return <SkeletonRows />
}
