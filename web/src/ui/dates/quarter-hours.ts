/** From 00:00 to 24:00. */
export const quarterHours = Array.from({ length: 97 }, (_, index) => {
  const [hour, minute] = [Math.floor(index / 4), (index % 4) * 15]
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
})
