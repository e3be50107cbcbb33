import { TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'

export function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  return (
    <TextInput
      label="Search"
      type="search"
      placeholder="Beginning of a name or email"
      maxLength={limits.nameMaxLength}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      flex="1 1 220px"
      maw={480}
    />
  )
}
