import { SkeletonRows } from '../../ui/states.tsx'

export function SettingsTab() {
  return <SkeletonRows />
}
