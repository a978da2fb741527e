// The page's sentences in English and Chinese; {x} are places for values.

const WORDS = {
  brand: ["Paizhuo", "牌桌"],
  skip: ["Skip to the hand", "跳到手牌"],
  newGame: ["New game", "新牌局"],
  again: ["Play again", "再来一局"],
  records: ["Records", "牌谱"],
  language: ["中文", "English"],
  languageTip: ["Switch to Chinese", "切换到英文"],
  fourColours: ["4 colours", "四色牌"],
  help: ["Keys", "快捷键"],
  close: ["Close", "关闭"],
  lost: ["The connection is lost; trying again…", "连接中断，正在重连……"],
  chooseGame: ["Choose a game", "选择游戏"],
  players: ["Players", "玩家"],
  options: ["Options", "规则选项"],
  standard: ["as usual", "默认"],
  seat: ["Seat {n}", "座位 {n}"],
  you: ["You", "你"],
  guest: ["Another person (by link)", "另一位玩家（用链接加入）"],
  deal: ["Deal number", "牌局编号"],
  dealHint: ["empty: any deal", "留空则随机"],
  training: ["Training", "练习模式"],
  trainingNote: ["Undo, hints, hidden hands and an agent's thoughts can be had.", "可以悔棋、提示、亮牌、看智能体的想法。"],
  start: ["Start", "开始"],
  starting: ["Starting…", "正在开始……"],
  compiling: [
    "The games are being compiled, once after an installation or an update: 10 to 20 seconds each. It goes on by itself.",
    "正在编译游戏规则：安装或更新之后只有一次，每个游戏十到二十秒，之后会自动继续。",
  ],
  otherAgent: ["Another one, by name", "其他（输入名称）"],
  otherNote: [
    "search:64 has 64 playouts an action, search:50ms 50 ms a decision; search-net:50ms:pretrained searches with a network.",
    "search:64 每个动作模拟 64 次；search:50ms 每步 50 毫秒；search-net:50ms:pretrained 用网络搜索。",
  ],
  watchNote: ["With an agent in every seat you watch, all hands open.", "全部座位都是智能体时为观战，明牌。"],
  none: ["none", "无"],
  yes: ["yes", "是"],
  no: ["no", "否"],
  player: ["Player {n}", "玩家{n}"],
  playerYou: ["Player {n} (you)", "玩家{n}（你）"],
  cardsLeft: ["{n} cards", "{n} 张"],
  oneCard: ["1 card", "1 张"],
  toPlay: ["to play", "行动中"],
  thinks: ["thinking…", "思考中……"],
  yourTurn: ["Your turn.", "轮到你了。"],
  turnOf: ["It is the turn of {who}.", "轮到{who}。"],
  thinking: ["{who} is thinking…", "{who}正在思考……"],
  asking: ["Others are asked about this card.", "正在询问其他玩家。"],
  lead: ["You lead: play anything.", "你领出：任意出牌。"],
  leads: ["{who} leads: anything goes.", "{who}领出，任意牌型。"],
  lastPlay: ["Last play", "最后一手"],
  beat: ["To beat", "要管的牌"],
  beatIt: ["Beat {what} by {who}, or pass.", "管{who}的{what}，或不出。"],
  newTrick: ["New trick", "新一轮"],
  over: ["The game is over.", "牌局结束。"],
  past: ["You look at an earlier position.", "正在看较早的局面。"],
  toNow: ["Back to the game", "回到牌局"],
  play: ["Play", "出牌"],
  discard: ["Discard", "打出"],
  clear: ["Clear", "重选"],
  hint: ["Hint", "提示"],
  undo: ["Undo", "悔棋"],
  reveal: ["Reveal", "亮牌"],
  revealTip: ["Reveal all hands", "亮出所有手牌"],
  hide: ["Hide", "盖牌"],
  hideTip: ["Hide the other hands", "盖上其他手牌"],
  hinted: ["{agent} would play {what}.", "{agent}会出：{what}。"],
  readAs: ["Read as", "读作"],
  ready: ["{what}: ready to play.", "{what}：可以出。"],
  becomes: ["Can become: {what}.", "可以组成：{what}。"],
  chooseCards: ["Choose cards that light up.", "请选择亮起的牌。"],
  chooseDiscard: ["Discard a card that lights up.", "请打出一张亮起的牌。"],
  chooseClaim: ["Choose: {what}.", "请选择：{what}。"],
  nothing: ["None of your cards can be played: pass.", "没有可出的牌：不出。"],
  first: ["First position", "最前"],
  previous: ["Previous", "上一步"],
  next: ["Next", "下一步"],
  last: ["Newest position", "最新"],
  position: ["Move {a} of {b}", "第 {a}/{b} 步"],
  pause: ["Pause", "暂停"],
  resume: ["Go on", "继续"],
  step: ["One move", "走一步"],
  speed: ["Speed", "速度"],
  slow: ["slow", "慢"],
  normal: ["normal", "中"],
  fast: ["fast", "快"],
  save: ["Save record", "保存牌谱"],
  copyLink: ["Copy link", "复制链接"],
  copied: ["The link is copied.", "链接已复制。"],
  linkLater: ["A link to the deal can be had when all hands are open; this one leads to the table.", "明牌后才能得到牌局链接；这是牌桌的链接。"],
  noLink: ["A dropped record has no link; save it as a file.", "拖入的牌谱没有链接，请保存为文件。"],
  history: ["History", "过程"],
  ask: ["Ask an agent", "请教"],
  score: ["Score", "得分"],
  askWhom: ["Agent", "智能体"],
  askNote: ["How probable each play is to it, for the seat to act.", "它对行动一方每种出法的概率。"],
  askPoints: [
    "Points that the seat to act gets at the end, on average over random deals of the unseen cards that are played out after each action. Bars begin at 0, losses go to the left.",
    "行动一方最后的得分：把看不见的牌随机分发，每种出法之后打到终局，取平均。条从 0 开始，输分向左。",
  ],
  itsChoice: ["its choice", "它的选择"],
  restOpen: ["and more cards", "再配牌"],
  inWorlds: ["deals: {n}", "分牌 {n} 种"],
  exact: ["exact", "精确"],
  points: ["{n} points", "{n} 分"],
  askRefused: ["Nothing to ask here: you must see the hand of the seat to act.", "此处无法请教：要能看到行动一方的手牌。"],
  expects: ["It expects {n} points.", "它预计得 {n} 分。"],
  total: ["Points", "总分"],
  step1: ["step by step", "逐步计算"],
  dealt: ["The cards are dealt.", "发牌。"],
  drop: ["Drop a records.jsonl here, or choose a file", "把 records.jsonl 拖到这里，或选择文件"],
  chooseFile: ["Choose a file…", "选择文件……"],
  inFolders: ["In the folders given", "给定文件夹里的牌谱"],
  noFolders: ["None. Give folders on the command line: python -m agents.play runs reports", "没有。可在命令行给出文件夹：python -m agents.play runs reports"],
  gameNumber: ["Game {n}", "第 {n} 局"],
  gamesIn: ["{n} games in {name}", "{name} 里有 {n} 局"],
  nextGame: ["Next game", "下一局"],
  previousGame: ["Previous game", "上一局"],
  noRecords: ["This file has no games in it.", "这个文件里没有牌局。"],
  tooLong: ["Game {n} is too long to be shown.", "第 {n} 局太长，无法显示。"],
  pot: ["Pot", "底池"],
  stake: ["Stake", "注"],
  stakes: ["Stakes", "注"],
  folded: ["folded", "已弃"],
  head: ["head", "头家"],
  handEnded: ["The hand before:", "上一手："],
  handOf: ["Hand {a} of {b}", "第 {a}/{b} 手"],
  stock: ["Stock", "牌堆"],
  dealer: ["dealer", "庄"],
  huxi: ["{n} huxi", "{n} 胡息"],
  credits: ["{n} credit", "忍 {n}"],
  pile: ["Unclaimed", "弃牌"],
  flipped: ["Turned by {who}", "{who}翻牌"],
  discarded: ["Discarded by {who}", "{who}打出"],
  nothingOffered: ["No card is on offer.", "没有待选的牌。"],
  own: ["own", "自"],
  keysTitle: ["Keys", "快捷键"],
  keys: [
    "← → previous and next position · Home End first and newest · 3–9 0 J Q K A 2 choose cards by rank · Space chooses the card in focus · Enter plays · Esc clears · P passes · H hint · U undo · V reveals hands · N new game · Space pauses when you watch · Tab goes through everything",
    "← → 上一步、下一步 · Home End 最前、最新 · 3–9 0 J Q K A 2 按点数选牌 · 空格选中焦点的牌 · 回车出牌 · Esc 重选 · P 不出 · H 提示 · U 悔棋 · V 亮牌 · N 新牌局 · 观战时空格暂停 · Tab 逐项移动",
  ],
  yourHand: ["Your hand", "你的手牌"],
  handOfWho: ["Hand of {who}", "{who}的手牌"],
  passed: ["pass", "不出"],
  allHands: ["all hands open", "明牌"],
  dealNumber: ["Deal {n}", "牌局 {n}"],
  inviteNote: ["Waiting for the other person: send them the link of this page.", "等待另一位玩家：把本页链接发给对方。"],
};

let language = localStorage.getItem("language") || (navigator.language.startsWith("zh") ? "zh" : "en");

export function lang() {
  return language;
}

export function setLang(value) {
  language = value;
  localStorage.setItem("language", value);
  document.documentElement.lang = value === "zh" ? "zh-CN" : "en";
}

export function put(text, values = {}) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

export function t(key, values = {}) {
  const both = WORDS[key];
  if (!both) throw new Error(`no words for ${key}`);
  return put(both[language === "zh" ? 1 : 0], values);
}

// A sentence that the server sent in both languages.
export function told(text, values = {}) {
  return put(text[language] ?? text.en, values);
}

export const pick = (en, zh) => (language === "zh" ? zh : en);

setLang(language);
