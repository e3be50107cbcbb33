const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Compares names as people read them: "Trainee 9" comes before "Trainee 10". */
export function compareNames(first: string, second: string): number {
  return collator.compare(first, second) || first.localeCompare(second)
}
