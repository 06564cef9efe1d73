import { words } from '../site/words.js';

/** Names of the icons of `codexicons`; all start with `cdxIcon`. */
export const ICONS = words(
  'Add Alert AlignCenter AlignLeft AlignRight Appearance ArrowDown ArrowNext ArrowPrevious ArrowUp Article ArticleAdd',
  'ArticleCheck ArticleDisambiguation ArticleNotFound ArticleRedirect ArticleSearch Articles ArticlesSearch',
  'Attachment Bell BellOutline Bigger Block Bold Book Bookmark BookmarkList BookmarkOutline Bright Browser Calendar',
  'Camera Cancel Chart Check CheckAll Clear Clock Close Code Collapse Configure Copy Cut Database Die',
  'DoubleChevronEnd DoubleChevronStart DownTriangle Download Draggable Edit EditLock EditUndo Ellipsis Error',
  'ExitFullscreen Expand Eye EyeClosed Feedback Flag FolderPlaceholder Fullscreen Function FunctionArgument Funnel',
  'Globe HalfBright HalfStar Hand Heart Help HelpNotice Hieroglyph Highlight History Home Image ImageAdd ImageBroken',
  'ImageGallery ImageLayoutBasic ImageLayoutFrame ImageLayoutFrameless ImageLayoutThumbnail ImageLock Indent Info',
  'InfoFilled Instance Italic Journal Key Keyboard LabFlask Language LargerText Layout Lightbulb Link LinkExternal',
  'LinkSecure ListBullet ListNumbered Literal Lock LogIn LogOut Map MapPin MapPinAdd MapTrail Markup Mathematics',
  'MathematicsDisplayBlock MathematicsDisplayDefault MathematicsDisplayInline Menu Merge Message Moon Move MoveFirst',
  'MoveLast MusicalScore Network NetworkOff NewWindow Newline Newspaper Next NoWikitext NotBright Notice',
  'OngoingConversation Outdent Outline PageSettings Palette Paste Pause Play Power Previous Printer PushPin Puzzle',
  'QrCode Quotes RecentChanges Redo Reference ReferenceExisting References Reload Restore Robot Sandbox Search',
  'SearchCaseSensitive SearchDiacritics SearchRegularExpression Settings Share Signature Smaller SmallerText',
  'SortVertical SpecialCharacter SpecialPages SpeechBubble SpeechBubbleAdd SpeechBubbles Star Stop Strikethrough',
  'Subscript Subtract Success Superscript Table TableAddColumnAfter TableAddColumnBefore TableAddRowAfter',
  'TableAddRowBefore TableCaption TableMergeCells TableMoveColumnAfter TableMoveColumnBefore TableMoveRowAfter',
  'TableMoveRowBefore Tag TemplateAdd TextDirLTR TextDirRTL TextFlow TextStyle TextSummary Trash Tray UnBlock UnFlag',
  'UnLink UnLock UnStar Underline Undo UpTriangle Update Upload UserActive UserAdd UserAnonymous UserAvatar',
  'UserAvatarOutline UserBlocked UserContributions UserGroup UserRights UserTalk UserTemporary UserTemporaryLocation',
  'ViewCompact ViewDetails VisionSimulator VolumeDown VolumeOff VolumeUp Watchlist Wikitext Window ZoomIn ZoomOut',
).map((name) => `cdxIcon${name}` as const);
