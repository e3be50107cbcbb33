import { TextInput } from '@mantine/core'
import { loadable } from '../feedback/loadable.tsx'
import type { LeaderFilterProps } from './leader-select.tsx'

/** A field of the same height stands for the list while its code, which is large, is loading. */
export const LeaderFilter = loadable<LeaderFilterProps>(
  () => import('./leader-select.tsx').then(module => module.LeaderSelect),
  ({ label, value }) => <TextInput label={label} placeholder="All" value={value?.name ?? ''} readOnly />,
)
