import styles from './comments.module.css'
import { type CommentedVideo, useCommentCount } from './use-comments.ts'

/** The number of the video's comments, in the control bar. */
export function CommentBadge(video: CommentedVideo) {
  const count = useCommentCount(video)
  return (
    <span className={styles.count}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
        <path
          d="M2.5 3h11v7.5H7L4 13.2v-2.7H2.5z"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeLinejoin="round"
        />
      </svg>
      {count}
      <span className="wl-hidden"> {count === 1 ? 'comment' : 'comments'}</span>
    </span>
  )
}
