const number = String.raw`(\d{1,12}(?:[.,]\d{1,9})?)`
const pattern = new RegExp(`^P(?:${number}W)?(?:${number}D)?(T(?=\\d)(?:${number}H)?(?:${number}M)?(?:${number}S)?)?$`)
const perWeek = 7 * 24 * 3600

/**
 * Seconds of an ISO 8601 duration such as `PT1H2M3S` or `P1DT2H`; undefined for anything else, years and months included, which
 * are of no certain length. A fraction may stand in the last part only.
 */
export function secondsOfIsoDuration(text: string): number | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [, weeks, days, , hours, minutes, seconds] = match
  const parts = [
    [weeks, perWeek],
    [days, 24 * 3600],
    [hours, 3600],
    [minutes, 60],
    [seconds, 1],
  ] as const
  const given = parts.flatMap(([count, each]) => (count === undefined ? [] : [{ count, each }]))
  if (given.length === 0 || given.slice(0, -1).some(({ count }) => /[.,]/.test(count))) return undefined
  return given.reduce((sum, { count, each }) => sum + Number(count.replace(',', '.')) * each, 0)
}
