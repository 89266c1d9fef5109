const answer = await fetch("data");
document.getElementById("data").textContent = await answer.text();
