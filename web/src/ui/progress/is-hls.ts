/** Whether the address is that of an HLS playlist, which not every browser plays by itself. */
export function isHls(url: string): boolean {
  return /\.m3u8(?:[?#]|$)/i.test(url)
}
