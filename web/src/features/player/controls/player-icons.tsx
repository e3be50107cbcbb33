interface IconProps {
  path: string
}

/** A few icons do not justify an icon package. */
function Icon({ path }: IconProps) {
  return (
    <svg viewBox="0 0 24 24" width="24" height="24" fill="currentColor" aria-hidden="true">
      <path d={path} />
    </svg>
  )
}

export const PlayIcon = () => (
  <Icon path="M8 5.1v13.8c0 .8.9 1.3 1.6.8l10-6.9a1 1 0 0 0 0-1.6l-10-6.9A1 1 0 0 0 8 5.1z" />
)
export const PauseIcon = () => <Icon path="M7 5h3.5v14H7zM13.5 5H17v14h-3.5z" />
export const NextIcon = () => (
  <Icon path="M6 5.7v12.6c0 .8.9 1.2 1.5.8l8.5-6.3a1 1 0 0 0 0-1.6L7.5 4.9A1 1 0 0 0 6 5.7zM17 5h2.5v14H17z" />
)
export const TheatreIcon = () => <Icon path="M3 5h7v2H5v3H3zM14 5h7v5h-2V7h-5zM3 14h2v3h5v2H3zM19 14h2v5h-7v-2h5z" />
export const ShrinkIcon = () => <Icon path="M8 5h2v5H3V8h5zM14 5h2v3h5v2h-7zM3 14h7v5H8v-3H3zM14 14h7v2h-5v3h-2z" />
