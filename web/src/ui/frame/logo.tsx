/** The brand mark: a partly watched strip with its playhead. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="var(--wl-brand)" />
      <rect x="5" y="13" width="22" height="6" rx="3" fill="none" stroke="#fff" strokeWidth="1.6" />
      <path d="M8 13h8.5v6H8a3 3 0 0 1 0-6z" fill="#fff" />
      <path d="M19.5 8v16" stroke="#f5b83d" strokeWidth="2" strokeLinecap="round" />
    </svg>
  )
}
