import { TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'

interface SearchFieldProps {
  value: string
  onChange: (text: string) => void
  /** Names the fields that the server searches. */
  placeholder?: string
}

export function SearchField({ value, onChange, placeholder = 'Beginning of a name or email' }: SearchFieldProps) {
  return (
    <TextInput
      label="Search"
      type="search"
      placeholder={placeholder}
      maxLength={limits.nameMaxLength}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      flex="1 1 220px"
      maw={480}
    />
  )
}
