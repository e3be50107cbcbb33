import { SkeletonRows } from '../../ui/states.tsx'

export function SupervisorsTab() {
  return <SkeletonRows />
}
