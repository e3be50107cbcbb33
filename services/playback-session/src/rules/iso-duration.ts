const number = String.raw`(\d{1,12}(?:[.,]\d{1,9})?)`
const pattern = new RegExp(`^P(?:${number}W)?(?:${number}D)?(T(?=\\d)(?:${number}H)?(?:${number}M)?(?:${number}S)?)?$`)
const secondsPerWeek = 7 * 24 * 3600

/**
 * Converts an ISO 8601 duration such as `PT1H2M3S` or `P1DT2H` to seconds; undefined for any other
 * text. Years and months have no fixed length and are rejected. Only the last part may have a
 * fraction.
 */
export function readIsoDuration(text: string): number | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [, weeks, days, , hours, minutes, seconds] = match
  const units = [
    [weeks, secondsPerWeek],
    [days, 24 * 3600],
    [hours, 3600],
    [minutes, 60],
    [seconds, 1],
  ] as const
  const parts = units.flatMap(([count, unitSeconds]) => (count === undefined ? [] : [{ count, unitSeconds }]))
  if (parts.length === 0 || parts.slice(0, -1).some(({ count }) => /[.,]/.test(count))) return undefined
  return parts.reduce((sum, { count, unitSeconds }) => sum + Number(count.replace(',', '.')) * unitSeconds, 0)
}
