import type { GroupChoice } from '@watchline/contracts/groups'
import { useListGroupChoicesQuery } from '../../api/lists.ts'
import { offeredCount, SearchedSelect, useTypedSearch } from '../lists/searched-select.tsx'

export interface GroupSelectProps {
  value: GroupChoice | undefined
  onChange: (group: GroupChoice | undefined) => void
}

/** Narrows a list to the members of one of the groups by which the person may filter. */
export function GroupSelect({ value, onChange }: GroupSelectProps) {
  const { search, setText } = useTypedSearch(value)
  const { data } = useListGroupChoicesQuery({ query: { search, limit: offeredCount } })
  return (
    <SearchedSelect
      label="Group"
      placeholder="Everybody"
      value={value}
      found={data?.items}
      nothingFound="No group found"
      onSearch={setText}
      onChange={onChange}
    />
  )
}
