import classes from '../player.module.css'

/** Says what the page can and cannot do with videos that YouTube plays. */
export function YouTubeNote() {
  return (
    <details className={classes.note}>
      <summary>About YouTube videos</summary>
      <ul>
        <li>
          YouTube may ask for your consent or show an advertisement in the picture. Answer it there; only the video
          counts as watched.
        </li>
        <li>
          A video that is private, removed, restricted by age or not allowed outside YouTube is skipped. Your supervisor
          is told once, and nobody has to watch it.
        </li>
        <li>A video made for kids plays and counts as usual. YouTube turns off some of its own features for it.</li>
        <li>
          If your network blocks YouTube, the page keeps trying and your progress is kept. Your IT support can allow
          youtube.com, youtube-nocookie.com, ytimg.com and googlevideo.com.
        </li>
        <li>
          YouTube chooses the picture quality by the size of the picture and your connection. Theatre view raises it.
          Captions are in the bar below the picture, if the video has any.
        </li>
      </ul>
    </details>
  )
}
