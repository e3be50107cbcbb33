import { SkeletonRows } from '../../ui/states.tsx'

export function PeopleImport() {
  return <SkeletonRows />
}
